import { parser } from '@prometheus-io/lezer-promql';

export type Matcher = { label: string; operator: '=' | '!=' | '=~' | '!~'; value: string };

/** The service selects the metric, the zone and the bucket itself. */
const reservedLabels = new Set(['__name__', 'namespace', 'le']);
const example = 'write label matchers such as code=~"5..", path!="/healthz"';

type Node = ReturnType<typeof parser.parse>['topNode'];

/** Parses label matchers with the grammar of Prometheus, so that a rule never contains text that a person wrote. */
export function parseMatchers(text: string): { matchers: Matcher[] } | { violation: string } {
  const selector = `{${text}}`;
  const { topNode } = parser.parse(selector);
  const invalidAt = findInvalid(topNode);
  if (invalidAt !== undefined)
    return {
      violation: `cannot be parsed at "${selector.slice(Math.max(invalidAt, 1), -1).slice(0, 30)}": ${example}`,
    };
  const vector = topNode.firstChild;
  if (vector?.name !== 'VectorSelector' || vector.nextSibling !== null || vector.to !== selector.length)
    return { violation: `must contain label matchers only: ${example}` };
  const nodes = vector.firstChild?.getChildren('UnquotedLabelMatcher') ?? [];
  if (nodes.length === 0 || nodes.length !== countChildren(vector.firstChild))
    return { violation: `must contain matchers of named labels only: ${example}` };
  const matchers: Matcher[] = [];
  for (const node of nodes) {
    const matcher = toMatcher(node, selector);
    if ('violation' in matcher) return matcher;
    matchers.push(matcher);
  }
  return { matchers };
}

/** Prints matchers in one way, whatever quotes and spaces they were written with. */
export const formatMatchers = (matchers: readonly Matcher[]): string =>
  matchers.map(({ label, operator, value }) => `${label}${operator}${JSON.stringify(value)}`).join(', ');

function findInvalid(topNode: Node): number | undefined {
  let at: number | undefined;
  topNode.cursor().iterate((node) => {
    if (node.type.isError || node.name === 'LineComment') at ??= node.from;
  });
  return at;
}

function countChildren(node: Node | null): number {
  let count = 0;
  for (let child = node?.firstChild ?? null; child; child = child.nextSibling) count += 1;
  return count;
}

function toMatcher(node: Node, text: string): Matcher | { violation: string } {
  const read = (name: string): string => {
    const child = node.getChild(name);
    return child ? text.slice(child.from, child.to) : '';
  };
  const label = read('LabelName');
  const operator = read('MatchOp') as Matcher['operator'];
  if (reservedLabels.has(label)) return { violation: `must not match the label "${label}", which the service sets` };
  const value = unquote(read('StringLiteral'));
  if (value === undefined)
    return { violation: `has an escape in the value of "${label}" that is not supported: use \\\\, \\", \\n or \\t` };
  const violation = operator.endsWith('~') ? regexViolation(value) : undefined;
  return violation === undefined
    ? { label, operator, value }
    : { violation: `has a value of "${label}" that ${violation}` };
}

const escapes: Record<string, string> = { '\\': '\\', '"': '"', "'": "'", n: '\n', t: '\t', r: '\r' };

/** Returns undefined for the escapes of bytes and code points, which no label needs. */
function unquote(literal: string): string | undefined {
  const content = literal.slice(1, -1);
  if (literal.startsWith('`')) return content;
  let isKnown = true;
  const value = content.replaceAll(/\\(.)/gs, (_, escaped: string) => {
    isKnown &&= escaped in escapes;
    return escapes[escaped] ?? '';
  });
  return isKnown ? value : undefined;
}

const repeatsMax = 1_000;
const escapeSequence = /\\(x[\da-fA-F]{2}|x\{[\da-fA-F]+\}|[pP][A-Z]|[pP]\{\^?\w+\}|[\s\S])/g;
/** JavaScript reads any other letter after a backslash as itself, and RE2 rejects the expression. */
const knownEscape = /^(?:[afnrtvdDsSwWbBAzQE0]|[xpP].+|[^a-zA-Z\d\P{ASCII}])$/u;

function hasEmptySet(expression: string): boolean {
  for (let start = expression.indexOf('['); start !== -1;) {
    const end = expression.indexOf(']', start);
    if (['[]', '[^]'].includes(expression.slice(start, end + 1))) return true;
    start = end === -1 ? -1 : expression.indexOf('[', end);
  }
  return false;
}

/** Prometheus uses RE2, which lacks parts of the syntax of JavaScript and bounds repetitions. */
function regexViolation(value: string): string | undefined {
  const plain = value.replaceAll(escapeSequence, '_');
  const escapes = [...value.matchAll(escapeSequence)].map(([, escaped = '']) => escaped);
  const repeats = [...plain.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, least, most = least]) => [least, most]);
  const isKnown =
    !/\(\?[=!<]/.test(plain) &&
    escapes.every((escaped) => knownEscape.test(escaped)) &&
    !hasEmptySet(plain) &&
    repeats.every((count) => Number(count) <= repeatsMax);
  if (!isKnown) return 'uses a regular expression that RE2 does not support';
  try {
    void new RegExp(`^(?:${value.replaceAll(/\(\?[imsU-]+\)/g, '')})$`);
    return undefined;
  } catch {
    return 'is not a valid regular expression';
  }
}
