type Filterable = { spec: { product: string }; status?: { phase: string } | undefined };

/** Returns whether a resource matches the query parameters of a list; an absent parameter matches every resource. */
export const matchesFilter = (
  { spec, status }: Filterable,
  { product, phase }: { product: string | undefined; phase: string | undefined },
): boolean => (product === undefined || spec.product === product) && (phase === undefined || status?.phase === phase);
