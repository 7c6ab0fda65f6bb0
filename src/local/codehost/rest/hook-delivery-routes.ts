import { notFound } from '../failure.ts';
import type { Host } from '../host.ts';
import type { AppRow, Delivery } from '../rows.ts';
import { redeliver } from '../webhooks.ts';
import { callingApp } from './app-routes.ts';
import { numberPart } from './requests.ts';
import type { Rest, RestContext } from './requests.ts';

export function hookDeliveryRoutes(rest: Rest, host: Host): void {
  rest.get('/v3/app/hook/deliveries', (c) => listDeliveries(host, c));
  rest.get('/v3/app/hook/deliveries/:delivery_id', (c) => {
    const delivery = findDelivery(host, callingApp(c), numberPart(c, 'delivery_id'));
    return c.json({
      ...deliveryShape(delivery),
      url: delivery.url,
      request: {
        headers: JSON.parse(delivery.requestHeaders ?? '{}') as unknown,
        payload: JSON.parse(delivery.payload) as unknown,
      },
      response: { headers: JSON.parse(delivery.responseHeaders ?? '{}') as unknown, payload: delivery.responseBody },
    });
  });
  rest.post('/v3/app/hook/deliveries/:delivery_id/attempts', (c) => {
    redeliver(host, findDelivery(host, callingApp(c), numberPart(c, 'delivery_id')));
    return c.json({}, 202);
  });
}

/** Newest first; pages go on by a cursor, since new ones arrive all the time. */
function listDeliveries(host: Host, c: RestContext): Response {
  const app = callingApp(c);
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
  return c.json(page.map(deliveryShape));
}

function findDelivery({ database }: Host, app: AppRow, id: number): Delivery {
  const delivery = database.one<Delivery>(
    'SELECT * FROM deliveries WHERE id = ? AND appId = ? AND status IS NOT NULL',
    id,
    app.id,
  );
  if (delivery === undefined) throw notFound();
  return delivery;
}

const deliveryShape = ({
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
