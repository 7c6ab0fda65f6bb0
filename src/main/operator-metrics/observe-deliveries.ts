import type { Client } from '@temporalio/client';
import type { Registry } from 'prom-client';
import { registerGauges } from './register-gauges.ts';
import { routeDeliveryType } from '../../../workflows/intake/messages.ts';

/** Routing takes well below a second; a delivery is late when it waited this long. */
const lateAfterMs = 60_000;

const name = 'delivery_webhooks_late';
const help = 'Webhooks of the code host that were received more than a minute ago and are not routed yet';

/** Reports the deliveries that are stuck. The SDK's histogram of durations shows a delivery only when it is routed. */
export function observeDeliveries(registry: Registry, client: Client, now: () => Date): void {
  registerGauges(
    registry,
    { [name]: { help, labelNames: [] } },
    {
      source: 'deliveries',
      async read() {
        const before = new Date(now().getTime() - lateAfterMs).toISOString();
        const query = `WorkflowType = '${routeDeliveryType}' AND ExecutionStatus = 'Running' AND StartTime < '${before}'`;
        const { count } = await client.withDeadline(Date.now() + 5_000, async () => await client.workflow.count(query));
        return [{ gauge: name, labels: {}, value: count }];
      },
    },
  );
}
