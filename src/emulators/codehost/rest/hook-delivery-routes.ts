import { notFound } from '../http-error.ts';
import type { Host } from '../host.ts';
import type { AppRow, Delivery } from '../tables.ts';
import { redeliver } from '../webhooks.ts';
import { getCallingApp } from './app-routes.ts';
import { getNumberParam } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

export function hookDeliveryRoutes(rest: RestApi, host: Host): void {
  rest.get('/v3/app/hook/deliveries', (c) => listDeliveries(host, c));
  rest.get('/v3/app/hook/deliveries/:delivery_id', (c) => {
    const delivery = getDelivery(host, getCallingApp(c), getNumberParam(c, 'delivery_id'));
    return c.json({
      ...toDeliveryJson(delivery),
      url: delivery.url,
      request: {
        headers: JSON.parse(delivery.requestHeaders ?? '{}') as unknown,
        payload: JSON.parse(delivery.payload) as unknown,
      },
      response: { headers: JSON.parse(delivery.responseHeaders ?? '{}') as unknown, payload: delivery.responseBody },
    });
  });
  rest.post('/v3/app/hook/deliveries/:delivery_id/attempts', (c) => {
    redeliver(host, getDelivery(host, getCallingApp(c), getNumberParam(c, 'delivery_id')));
    return c.json({}, 202);
  });
}

/** Lists the newest deliveries first. Pages use a cursor, because new deliveries arrive all the time. */
function listDeliveries(host: Host, c: RestContext): Response {
  const app = getCallingApp(c);
  const perPage = Math.min(Math.max(Number.parseInt(c.req.query('per_page') ?? '', 10) || 30, 1), 100);
  const [, cursor] = /^v1_(\d+)$/.exec(c.req.query('cursor') ?? '') ?? [];
  const found = host.database.all<Delivery>(
    'SELECT * FROM deliveries WHERE appId = ? AND status IS NOT NULL AND id < ? ORDER BY id DESC LIMIT ?',
    app.id,
    cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor),
    perPage + 1,
  );
  const page = found.slice(0, perPage);
  if (found.length > perPage)
    c.header(
      'Link',
      `<${host.apiUrl}/app/hook/deliveries?per_page=${perPage}&cursor=v1_${page.at(-1)?.id}>; rel="next"`,
    );
  return c.json(page.map(toDeliveryJson));
}

function getDelivery({ database }: Host, app: AppRow, id: number): Delivery {
  const delivery = database.get<Delivery>(
    'SELECT * FROM deliveries WHERE id = ? AND appId = ? AND status IS NOT NULL',
    id,
    app.id,
  );
  if (delivery === undefined) throw notFound();
  return delivery;
}

const toDeliveryJson = ({
  id,
  guid,
  deliveredAt,
  redelivery,
  durationMs,
  status,
  statusCode,
  event,
  action,
  installationId,
  repositoryId,
}: Delivery) => ({
  id,
  guid,
  delivered_at: deliveredAt,
  redelivery: redelivery === 1,
  duration: (durationMs ?? 0) / 1000,
  status,
  status_code: statusCode,
  event,
  action,
  installation_id: installationId,
  repository_id: repositoryId,
  throttled_at: null,
});
