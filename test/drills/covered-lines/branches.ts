import { type AnyNode, parse } from 'acorn';

/** How often the code at an offset ran. */
export type CountAt = (offset: number) => number;

/** One way that the code may go on, and the line where it divides. */
export interface Branch {
  line: number;
  isTaken: (countAt: CountAt) => boolean;
}

/**
 * The branches of JavaScript in their order: both ways of `if` and `?:`, also where no `else` is written; the right side of
 * `&&`, `||` and `??`; each `case`.
 */
export function branchesOf(code: string): Branch[] {
  const branches: Branch[] = [];
  const visit = (node: AnyNode): void => {
    for (const isTaken of waysOf(node)) branches.push({ line: node.loc?.start.line ?? 0, isTaken });
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child);
  };
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true, allowHashBang: true }));
  return branches;
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

function waysOf(node: AnyNode): Branch['isTaken'][] {
  const ran =
    ({ start }: { start: number }): Branch['isTaken'] =>
    (countAt) =>
      countAt(start) > 0;
  switch (node.type) {
    case 'IfStatement': {
      const { start, consequent, alternate } = node;
      const passed: Branch['isTaken'] = (countAt) => countAt(start) > countAt(consequent.start);
      return [ran(consequent), alternate ? ran(alternate) : passed];
    }
    case 'ConditionalExpression':
      return [ran(node.consequent), ran(node.alternate)];
    case 'LogicalExpression':
      return [ran(node.right)];
    case 'SwitchCase':
      return [ran(node)];
    default:
      return [];
  }
}
