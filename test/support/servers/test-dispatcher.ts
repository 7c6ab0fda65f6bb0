import type { Agent } from 'undici';
import { judgedDispatcher } from '../../../src/integrations/http/judged-dispatcher.ts';
import { parseInsideDestination } from '../../../src/rules/network/allowed-inside.ts';
import { destinationViolation } from '../../../src/rules/network/destination-violation.ts';

/** Returns the dispatcher of the service, with the listed destinations inside its network. */
export function createTestDispatcher(...allowedInside: string[]): Agent {
  const allowed = allowedInside.flatMap((text) => parseInsideDestination(text) ?? []);
  return judgedDispatcher((destination) => destinationViolation(allowed, destination));
}
