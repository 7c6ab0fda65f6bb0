/** The network that the installation offers to commands of agents (AGENT_NETWORK). */
export type AgentNetwork = 'never' | 'public';

/** Returns why no agent of the installation can have a network, and undefined where the org decides. */
export const agentNetworkViolation = (agentNetwork: AgentNetwork): string | undefined =>
  agentNetwork === 'never'
    ? 'The installation gives no agent a network (AGENT_NETWORK=never). Leave it out, or ask an operator to set AGENT_NETWORK=public.'
    : undefined;
