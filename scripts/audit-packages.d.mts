interface Lock {
  packages: Record<string, Record<string, unknown>>;
}
interface AuditReport {
  vulnerabilities: Record<string, { name: string; severity: string; nodes: string[] }>;
}
export function lockProblems(lock: Lock, manifest: Record<string, unknown>): string[];
export function advisories(report: AuditReport, lock: Lock): { grave: string[]; others: string[] };
