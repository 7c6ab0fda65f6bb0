import type { OrgCodehost } from './codehost.ts';
import type { Client } from './octokit-client.ts';
import { translating } from './octokit-errors.ts';

type RawDelivery = { id: number; guid: string; delivered_at: string; status_code: number; redelivery: boolean };

const patienceMaxMs = 30 * 60_000;
const isTaken = ({ status_code: status }: RawDelivery): boolean => status >= 200 && status < 300;

/** `app` speaks as the application itself, whose deliveries they are. */
export function deliveryOperations(app: Pick<Client, 'paginate' | 'request'>): Pick<OrgCodehost, 'redeliverFailed'> {
  return {
    async redeliverFailed({ since, now, againMs }) {
      const isOlder = ({ delivered_at: at }: RawDelivery): boolean => Date.parse(at) < Date.parse(since);
      const call = app.paginate('GET /app/hook/deliveries', { per_page: 100 }, (response, done) => {
        const page = response.data as RawDelivery[];
        if (page.some(isOlder)) done();
        return page;
      });
      const all = await translating('the deliveries of this org’s application', call);
      const attempts = Map.groupBy(
        all.filter((delivery) => !isOlder(delivery)),
        ({ guid }) => guid,
      );
      // The oldest first, as they happened.
      const due = [...attempts.values()].toReversed().filter((of) => isDue(of, now, againMs));
      for (const [newest] of due) {
        if (!newest) continue;
        const again = app.request('POST /app/hook/deliveries/{delivery_id}/attempts', { delivery_id: newest.id });
        await translating(`delivery ${newest.guid}`, again);
      }
      return due.length;
    },
  };
}

/** Each attempt in vain doubles the pause before the next; one whose first attempt is long past is given up. */
function isDue(attempts: RawDelivery[], now: Date, againMs: number): boolean {
  const [newest] = attempts;
  if (!newest || attempts.some(isTaken) || !attempts.some(({ redelivery }) => !redelivery)) return false;
  const patienceMs = Math.min(againMs * 2 ** (attempts.length - 1), patienceMaxMs);
  return now.getTime() - Date.parse(newest.delivered_at) >= patienceMs;
}
