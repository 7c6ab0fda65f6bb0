type Page = { items: unknown[]; continue?: string };

/** The API returns no more items at once. */
const limit = 500;

/** Reads a list to its end, page by page. */
export async function readAll<T extends Page>(
  read: (query: { limit: number; continue?: string }) => Promise<T>,
): Promise<T> {
  const first = await read({ limit });
  const items = [...first.items];
  for (let { continue: next } = first; next !== undefined;) {
    const page = await read({ limit, continue: next });
    items.push(...page.items);
    next = page.continue;
  }
  const { continue: _, ...list } = first;
  return { ...list, items } as T;
}
