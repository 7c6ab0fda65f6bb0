export const sessionTtlMs = 12 * 60 * 60_000;
const sessionIdleMs = 2 * 60 * 60_000;

/** Returns true when a session was not used for two hours. Before its first use, the time of the sign-in counts. */
export function isSessionIdle(
  { expiresAt, lastUsedAt }: { expiresAt: string; lastUsedAt: string | undefined },
  now: Date,
): boolean {
  const startedAt = Date.parse(expiresAt) - sessionTtlMs;
  return now.getTime() - Math.max(startedAt, Date.parse(lastUsedAt ?? '') || 0) >= sessionIdleMs;
}
