import { createRoute, z } from '@hono/zod-openapi';
import { orgRoles } from '../../src/rules/access/roles.ts';
import { titleText } from '../../src/rules/names.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { createDeviceSignIn } from './device-sign-ins.ts';
import { formBody, oauthErrorResponse, respondWithOAuthError } from './oauth.ts';
import { pollIntervalSeconds } from './poll-guard.ts';

const DeviceCodes = z
  .object({
    device_code: z.string().describe('Code that the tool redeems. It is a secret.'),
    user_code: z.string().openapi({ description: 'Code that the tool shows.', example: 'WDJB-MJHT' }),
    verification_uri: z.string().describe('Page on which a person enters the code.'),
    verification_uri_complete: z.string().describe('The same page with the code filled in.'),
    expires_in: z.int().describe('Seconds until the codes expire.'),
    interval: z.int().describe('Seconds to wait between two requests of `redeemDeviceCode`.'),
  })
  .openapi('DeviceCodes');

const route = createRoute({
  operationId: 'startDeviceSignIn',
  method: 'post',
  path: '/v1/auth/device',
  tags: ['Access'],
  summary: 'Start the sign-in of a tool',
  description:
    'Begins a device authorization (RFC 8628). The tool shows the code and the page, a person approves it there, and `redeemDeviceCode` returns a token. Fails with 429 after too many sign-ins from the address.',
  ...requireRole('anyone'),
  request: {
    body: formBody(
      z.object({
        client_id: titleText(100).describe('Name of the tool, which the person sees.'),
        scope: z
          .string()
          .max(100)
          .optional()
          .describe('Highest role that the tool needs: `viewer`, `member` or `org-admin`.'),
      }),
    ),
  },
  responses: {
    200: jsonResponse('The codes', DeviceCodes),
    400: oauthErrorResponse,
    ...problems(413, 415, 422, 429),
  },
});

export function startDeviceSignIn(app: App, { store, config, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { client_id: client, scope } = c.req.valid('form');
    const roleMax = orgRoles.find((role) => role === scope);
    if (scope && !roleMax) return respondWithOAuthError(c, 'invalid_scope');
    const { throttle, clientAddress } = c.get('signInGuards');
    const address = clientAddress(c);
    throttle.countDevice(address, now().getTime());
    const created = await createDeviceSignIn(store, { client, address, ...(roleMax && { roleMax }) }, now());
    const page = `${config.publicUrl}/device`;
    return c.json(
      {
        device_code: created.deviceCode,
        user_code: created.userCode,
        verification_uri: page,
        verification_uri_complete: `${page}?code=${created.userCode}`,
        expires_in: created.expiresInSeconds,
        interval: pollIntervalSeconds,
      },
      200,
      { 'Cache-Control': 'no-store' },
    );
  });
}
