import type { Schemas } from '../api/generated/openapi.ts';

/** Returns why the caller may not do what an operation does, or undefined when it is allowed. */
export function findRefusal(actions: Schemas['Action'][], name: string): string | undefined {
  const action = actions.find((one) => one.name === name);
  if (action?.allowed) return undefined;
  return action?.message ?? 'Your role does not allow this.';
}
