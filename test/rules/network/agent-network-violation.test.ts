import { expect, it } from 'vitest';
import { agentNetworkViolation } from '../../../src/rules/network/agent-network-violation.ts';

it('names the setting of an installation that gives no agent a network', () => {
  expect(agentNetworkViolation('never')).toContain('AGENT_NETWORK=public');
  expect(agentNetworkViolation('public')).toBeUndefined();
});
