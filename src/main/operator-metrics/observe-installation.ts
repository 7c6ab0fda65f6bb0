import type { Registry } from 'prom-client';
import type { Connections } from '../wiring/open-connections.ts';
import { observeAgentCosts } from './observe-agent-costs.ts';
import { observeBackups } from './observe-backups.ts';
import { observeDeliveries } from './observe-deliveries.ts';
import { observeTaskQueues } from './observe-task-queues.ts';

/** Reports the state that all processes share. Each API process reports the same values. */
export function observeInstallation(registry: Registry, { store, temporal }: Connections): void {
  const now = (): Date => new Date();
  observeTaskQueues(registry, temporal);
  observeDeliveries(registry, temporal, now);
  observeAgentCosts(registry, store, now);
  observeBackups(registry, store, now);
}
