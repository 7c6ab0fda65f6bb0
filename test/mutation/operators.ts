export type Node = { type: string; start: number; end: number } & Record<string, unknown>;
export type Replacement = { operator: string; start: number; end: number; replacement: string };

type Operator = (node: Node, show: (child: unknown) => string) => [operator: string, replacement: string][];

const boundaries = new Map(Object.entries({ '<': '<=', '<=': '<', '>': '>=', '>=': '>' }));
const opposites = new Map(Object.entries({ '===': '!==', '!==': '===', '-': '+', '*': '/', '/': '*', '%': '*' }));
const lowerRoles = new Map(
  Object.entries({
    "'platform-admin'": "'org-admin'",
    "'org-admin'": "'member'",
    "'member'": "'viewer'",
    "'viewer'": "'signed-in'",
  }),
);
/** The arguments of these calls are documentation, log lines or another system's schema; those of `app.openapi` are code. */
export const describingCall =
  /^(?!app\.openapi$)(.+\.)?(openapi|meta|describe|createRoute|log|info|warn|debug|onProgress)$/s;
const droppedLinks = /^(filter|toSorted|toReversed|slice|trim|toLowerCase|flat|catch)$/;
const swappedLinks = new Map(
  Object.entries({ some: 'every', every: 'some', startsWith: 'endsWith', find: 'findLast' }),
);

const operators: Record<string, Operator> = {
  IfStatement: ({ test, consequent, alternate }, show) => {
    const body = show(consequent);
    const isGuard = !alternate && /^(\{\s*)?(return|throw|continue|break)\b/.test(body);
    const branch = alternate ? ` else ${show(alternate)}` : '';
    return [
      [isGuard ? 'removed guard' : 'removed branch', alternate ? show(alternate) : ';'],
      ['negated condition', `if (!(${show(test)})) ${body}${branch}`],
    ];
  },
  ExpressionStatement: ({ expression }, show) => {
    const { type, argument } = expression as { type: string; argument?: { type: string } };
    const isCall = type === 'CallExpression' || (type === 'AwaitExpression' && argument?.type === 'CallExpression');
    const isAssignment = type === 'AssignmentExpression';
    const callee = isCall ? /^(?:await )?([\w.]+)/.exec(show(expression))?.[1] : undefined;
    const isIgnored = callee === 'super' || describingCall.test(callee ?? '');
    return (isCall || isAssignment) && !isIgnored ? [[isCall ? 'removed call' : 'removed assignment', ';']] : [];
  },
  LogicalExpression: ({ operator, left, right }, show) => {
    if (operator === '??') return [['dropped default', show(left)]];
    return [
      ['dropped condition', `(${show(left)})`],
      ['dropped condition', `(${show(right)})`],
    ];
  },
  BinaryExpression: ({ operator, left, right, start, end }, show) => {
    // A product of numbers, such as a duration, is a constant.
    if (/^[\d_\s*/+-]+$/.test(show({ start, end }))) return [];
    const to = boundaries.get(String(operator)) ?? opposites.get(String(operator));
    const name = boundaries.has(String(operator)) ? 'moved boundary' : 'changed operator';
    return to === undefined ? [] : [[name, `(${show(left)} ${to} ${show(right)})`]];
  },
  UnaryExpression: ({ operator, argument }, show) =>
    operator === '!' ? [['removed negation', `(${show(argument)})`]] : [],
  ConditionalExpression: ({ test, consequent, alternate }, show) => [
    ['swapped branches', `(${show(test)} ? ${show(alternate)} : ${show(consequent)})`],
  ],
  AwaitExpression: ({ argument }, show) => [['removed await', `(${show(argument)})`]],
  Literal: ({ value, raw }) => {
    if (typeof value === 'boolean') return [['flipped boolean', String(!value)]];
    return typeof value === 'number' && [0, 1, 2].includes(value) && /^\d$/.test(String(raw))
      ? [['off by one', String(value + 1)]]
      : [];
  },
  SpreadElement: ({ argument }, show) => (/^\(.*(&&|\?)/s.test(show(argument)) ? [['dropped field', '...{}']] : []),
  CallExpression: ({ callee, arguments: list }, show) => {
    const args = list as Node[];
    const { object, property } = callee as { object?: Node; property?: Node };
    const name = property ? show(property) : '';
    const found: [string, string][] = [];
    if (show(callee) === 'requireRole') {
      const lower = lowerRoles.get(show(args[0]));
      const rest = args.slice(1).map((argument) => `, ${show(argument)}`);
      if (lower) found.push(['lowered role', `requireRole(${lower}${rest.join('')})`]);
    }
    if (show(callee) === 'CancellationScope.nonCancellable')
      found.push(['dropped nonCancellable', `(${show(args[0])})()`]);
    if (object && droppedLinks.test(name)) found.push([`dropped .${name}()`, show(object)]);
    const other = object && swappedLinks.get(name);
    if (other) found.push([`.${name} to .${other}`, `${show(object)}.${other}(${args.map(show).join(', ')})`]);
    if (args.length === 2 && args.every(({ type }) => type === 'Identifier'))
      found.push(['swapped arguments', `${show(callee)}(${args.toReversed().map(show).join(', ')})`]);
    return found;
  },
};

/** Lists the faults that a programmer could have made at a node of the syntax tree. */
export function replacementsFor(node: Node, text: string): Replacement[] {
  const show = (child: unknown): string => {
    const { start, end } = child as Node;
    return text.slice(start, end);
  };
  const { start, end } = node;
  const original = text.slice(start, end);
  return (operators[node.type]?.(node, show) ?? [])
    .filter(([, replacement]) => replacement !== original)
    .map(([operator, replacement]) => ({ operator, start, end, replacement }));
}
