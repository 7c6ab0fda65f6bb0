/** Reads the named text fields of a form. */
export function readForm<Name extends string>(form: HTMLFormElement, ...names: Name[]): Record<Name, string> {
  const data = new FormData(form);
  const entries = names.map((name): [Name, string] => {
    const value = data.get(name);
    return [name, typeof value === 'string' ? value : ''];
  });
  return Object.fromEntries(entries) as Record<Name, string>;
}
