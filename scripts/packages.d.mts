export function packagesAreCurrent(root: string): boolean;
export function installPackages(root: string, env: Readonly<Record<string, string | undefined>>): void;
export function assertNode(root: string): void;
export function linkCommand(root: string): void;
