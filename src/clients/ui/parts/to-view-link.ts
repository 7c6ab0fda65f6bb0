/** The properties of a link to a view of the page: the page keeps its place, and only the shown view is current. */
export const toViewLink = (isCurrent: boolean) =>
  ({
    resetScroll: false,
    activeProps: {},
    activeOptions: { exact: true, includeSearch: true },
    'aria-current': isCurrent ? 'page' : undefined,
  }) as const;
