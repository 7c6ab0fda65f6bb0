export type Scalar = string | number | boolean | null;

/** Longer texts are cut, so that an entry has a bounded size. */
const textMax = 1_000;

/** Names of fields whose text is a secret. Numbers never are: `limits.tokens` counts. */
const secretName =
  /pass(word|phrase)|secret|token|credential|private|(api|access|recovery|encryption|signing)-?key|cookie|signature|license|kubeconfig|^key$/i;
const publicName = /(At|Name|Ref|Max|Count)$/;

export const isSecretName = (name: string): boolean => secretName.test(name) && !publicName.test(name);

type Leaf = { field: string; name: string; value: Scalar };

/**
 * Lists the values of a JSON document with their paths. Items of a list are in brackets: objects by their name or index,
 * other values by themselves, so that a list compares as a set.
 */
export function flatten(value: unknown, field: string, name = field): Leaf[] {
  if (value === undefined) return [];
  if (Array.isArray(value))
    return value.length === 0 ? [{ field, name, value: '[]' }] : flattenList(value, field, name);
  if (typeof value !== 'object' || value === null) return [{ field, name, value: value as Scalar }];
  const entries = Object.entries(value);
  if (entries.length === 0) return [{ field, name, value: '{}' }];
  return entries.flatMap(([key, item]) => flatten(item, `${field}.${key}`, isSecretName(name) ? name : key));
}

function flattenList(items: unknown[], field: string, name: string): Leaf[] {
  const names = items.map((item) => (item as { name?: unknown } | null)?.name);
  const areNamed = names.every((one) => typeof one === 'string') && new Set(names).size === items.length;
  const isSet = items.every((item) => typeof item !== 'object') && new Set(items).size === items.length;
  return items.flatMap((item, index) => {
    const key = areNamed ? names[index] : isSet && !isSecretName(name) ? shorten(String(item), 200) : index;
    return flatten(item, `${field}[${String(key)}]`, name);
  });
}

/** Text that people write to each other. The run, the incident or the issue keeps it; the audit log tells its length. */
const freeText = /^(note|text|body|message|comment|instructions)$/;

/** Returns a text as the audit log shows it. */
export const toShownText = (name: string, text: string): string =>
  freeText.test(name) ? `${text.length} characters` : shorten(text);

/** Cuts a text, and tells how long it was. */
export function shorten(text: string, max = textMax): string {
  return text.length <= max ? text : `${text.slice(0, max)}… (${text.length} characters)`;
}
