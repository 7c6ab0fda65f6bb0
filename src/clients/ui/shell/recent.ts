export type RecentPage = { title: string; path: string };

const recentMax = 6;
let pages: RecentPage[] = [];

/** Remembers a page for the palette, while the tab is open. */
export function rememberPage(title: string): void {
  const path = location.pathname + location.search;
  if (/^\/(signin|setup)$/.test(location.pathname)) return;
  pages = [{ title, path }, ...pages.filter((page) => page.path !== path)].slice(0, recentMax);
}

export const forgetPages = (): void => {
  pages = [];
};

/** Lists the pages before the present one, the last first. */
export const listRecentPages = (): RecentPage[] =>
  pages.filter(({ path }) => path !== location.pathname + location.search);
