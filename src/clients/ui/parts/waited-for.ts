const machines: Record<string, string> = { codehost: 'the code host', cluster: 'the cluster of the zone' };

/** True for what a step or promotion waits for by itself, without a person. */
export const isMachine = (role: string): boolean => role in machines;

/** Names who a step or promotion waits for: "a member", "an org-admin", "the code host". */
export const toWaitedFor = (role: string): string =>
  machines[role] ?? (/^[aeiou]/.test(role) ? `an ${role}` : `a ${role}`);
