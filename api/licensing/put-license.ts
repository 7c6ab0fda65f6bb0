import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { readLicense } from '../../src/rules/licensing/read-license.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse } from '../http/views.ts';
import { getLicenseView, LicenseView, saveLicense } from './license.ts';

const LicenseBody = z
  .strictObject({ license: z.string().min(1).max(8192).describe('The license, one line that starts with `lic1.`.') })
  .openapi('LicenseBody');

const route = createRoute({
  operationId: 'putLicense',
  method: 'put',
  path: '/v1/license',
  tags: ['Installation'],
  summary: 'Install a license',
  description:
    'Replaces the license of the installation, also with one that has expired. Requires the browser session of a platform admin who signed in with a password. Fails with 422 if the license is malformed or its signature does not verify.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  request: { body: body(LicenseBody) },
  responses: {
    200: jsonResponse('The state of the new license', LicenseView),
    ...problems(400, 401, 403, 409, 413, 415, 422),
  },
});

export function putLicense(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { license } = c.req.valid('json');
    const reading = readLicense(license, deps.config.licenseKeys);
    if ('violation' in reading)
      throw new ServiceError('invalid-license', `The license is not installed. ${reading.violation}`, {
        errors: [{ pointer: '/license', detail: reading.violation }],
      });
    await saveLicense(deps.store, license);
    return c.json(await getLicenseView(c, deps), 200);
  });
}
