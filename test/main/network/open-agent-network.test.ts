import { expect, it } from 'vitest';
import { openAgentNetwork } from '../../../src/main/network/open-agent-network.ts';

it('offers a network only if the installation says so', async () => {
  const log = { info: () => {} };
  expect(openAgentNetwork({ agentNetwork: 'never', allowedInside: [] }, log)).toBeUndefined();
  const open = openAgentNetwork({ agentNetwork: 'public', allowedInside: [] }, log);
  const network = await open?.({ run: 'change-1' });
  expect(network?.socketPath).toMatch(/proxy\.sock$/);
  await network?.close();
});
