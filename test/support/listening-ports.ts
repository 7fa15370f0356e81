import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTEN = '0A';

/** TCP ports on which a process takes connections, as the system shows them; `lsof` must be there where /proc is not. */
export function listeningPorts(pid: number): number[] {
  return process.platform === 'linux' ? portsOfProc(pid) : portsOfLsof(pid);
}

function portsOfProc(pid: number): number[] {
  const folder = `/proc/${pid}/fd`;
  const sockets = new Set(readdirSync(folder).map((fd) => linkOf(`${folder}/${fd}`)));
  const lines = ['tcp', 'tcp6'].flatMap((file) => readFileSync(`/proc/${pid}/net/${file}`, 'utf8').split('\n'));
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    return state === LISTEN && sockets.has(`socket:[${inode}]`) ? Number.parseInt(local.split(':')[1] ?? '', 16) : [];
  });
}

/** Empty for a file that was closed since the folder was read. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function portsOfLsof(pid: number): number[] {
  const lines = execFileSync('lsof', ['-a', '-nP', '-iTCP', '-sTCP:LISTEN', '-Fn', '-p', `${pid}`], {
    encoding: 'utf8',
  });
  return [...lines.matchAll(/^n.*:(\d+)$/gm)].map(([, port]) => Number(port));
}
