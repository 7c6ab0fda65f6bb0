import type { ApiDeps, App } from '../deps.ts';
import { listDeliveries } from './list-deliveries.ts';
import { receiveCodehostDelivery } from './receive-codehost-delivery.ts';

export function intake(app: App, deps: ApiDeps): void {
  receiveCodehostDelivery(app, deps);
  listDeliveries(app);
}
