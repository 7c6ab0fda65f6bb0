import { isServiceError } from '../../errors.ts';
import type { OrgCodehost } from './codehost.ts';
import type { Client } from './octokit-client.ts';
import { mapErrors } from './octokit-errors.ts';

type RawDelivery = { id: number; guid: string; delivered_at: string; status_code: number; redelivery: boolean };

const retryDelayMaxMs = 30 * 60_000;
const isDelivered = ({ status_code: status }: RawDelivery): boolean => status >= 200 && status < 300;

/** Deliveries belong to the application, so `app` must be authenticated as the application, not as an installation. */
export function deliveryOperations(
  app: Pick<Client, 'paginate' | 'request'>,
): Pick<OrgCodehost, 'redeliverFailedDeliveries'> {
  return {
    async redeliverFailedDeliveries({ since, now, retryDelayMs }) {
      const isOlder = ({ delivered_at: at }: RawDelivery): boolean => Date.parse(at) < Date.parse(since);
      const call = app.paginate('GET /app/hook/deliveries', { per_page: 100 }, (response, done) => {
        const page = response.data as RawDelivery[];
        if (page.some(isOlder)) done();
        return page;
      });
      const all = await mapErrors('the deliveries of this org’s application', call);
      const attempts = Map.groupBy(
        all.filter((delivery) => !isOlder(delivery)),
        ({ guid }) => guid,
      );
      // The oldest delivery is sent first, to keep the order of events.
      const due = [...attempts.values()].toReversed().filter((tries) => isDue(tries, now, retryDelayMs));
      for (const [newest] of due) {
        if (!newest) continue;
        const redelivery = app.request('POST /app/hook/deliveries/{delivery_id}/attempts', { delivery_id: newest.id });
        await mapErrors(`delivery ${newest.guid}`, redelivery).catch(ignoreRefusal);
      }
      return due.length;
    },
  };
}

/** A delivery that the code host cannot send any more must not keep back the others. */
function ignoreRefusal(error: unknown): void {
  const refusals = ['invalid', 'not-found', 'conflict'] as const;
  if (!refusals.some((code) => isServiceError(error, code))) throw error;
}

/** Each failed attempt doubles the delay. A delivery whose first attempt is outside the window is abandoned. */
function isDue(attempts: RawDelivery[], now: Date, retryDelayMs: number): boolean {
  const [newest] = attempts;
  if (!newest || attempts.some(isDelivered) || !attempts.some(({ redelivery }) => !redelivery)) return false;
  const delayMs = Math.min(retryDelayMs * 2 ** (attempts.length - 1), retryDelayMaxMs);
  return now.getTime() - Date.parse(newest.delivered_at) >= delayMs;
}
