/** The states of a zone on the status page, from the best to the worst. */
export const zoneStates = ['not-released', 'operational', 'degraded', 'down'] as const;
export type ZoneState = (typeof zoneStates)[number];

/** Returns the worst of the states; without any, nothing is released. */
export const worstState = (states: readonly ZoneState[]): ZoneState =>
  zoneStates.findLast((state) => states.includes(state)) ?? 'not-released';
