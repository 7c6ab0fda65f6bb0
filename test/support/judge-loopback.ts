import { parseInsideDestination } from '../../src/rules/network/allowed-inside.ts';
import { destinationViolation, type ResolvedDestination } from '../../src/rules/network/destination-violation.ts';

const inside = [parseInsideDestination('127.0.0.1') ?? { range: '127.0.0.1/32' }];

/** Allows connections to public addresses and to servers of a test. */
export const judgeLoopback = (destination: ResolvedDestination): string | undefined =>
  destinationViolation(inside, destination);
