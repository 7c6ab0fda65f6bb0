import { z } from '@hono/zod-openapi';
import { actionsFor } from '../../src/rules/access/actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { type Registry, RegistryCheck, RegistrySettings } from '../../src/rules/registries/registry.ts';
import type { ApiDeps } from '../deps.ts';
import { ActionView } from '../http/views.ts';

const { host, repositoryPrefix, username, password } = RegistrySettings.shape;

export const NewRegistryBody = z.strictObject({
  name: NameLabel.describe('Name of the registry in the org.'),
  host,
  repositoryPrefix,
  username,
  password,
});

export const RegistryBody = z.strictObject({
  host,
  repositoryPrefix,
  username,
  password: password
    .optional()
    .openapi({ description: 'New password or access token. Without it the stored one stays, for the same host.' }),
});

export const RegistryView = z
  .object({
    name: z.string().describe('Name of the registry in the org.'),
    org: z.string().describe('Name of the org.'),
    host: z.string().describe('Host of the registry.'),
    repositoryPrefix: z.string().optional().describe('Path below which the org’s images are.'),
    username: z.string().describe('Account that pulls and pushes images. Its password is never returned.'),
    lastCheck: z.object(RegistryCheck.shape).describe('What the registry allowed when it was last checked.'),
    use: z
      .enum(['cluster', 'none'])
      .describe(
        'Who uses the credentials: builds and zones in the `cluster`, or nothing (`none`) on one machine, which builds and runs apps without images of a registry.',
      ),
    resourceVersion: z.string().describe('Version of the org’s registries, for `If-Match`.'),
    actions: z.array(ActionView).describe('Operations on the registry, with whether the caller can perform them now.'),
  })
  .openapi('Registry');

type Context = Pick<ApiDeps, 'isImageDeleted'> & {
  org: string;
  role: OrgRole | undefined;
  resourceVersion: string;
  /** Why the registry cannot be deleted. */
  violation: string | undefined;
};

export const toRegistryView = (
  { name, host: registryHost, repositoryPrefix: prefix, username: account, lastCheck }: Registry,
  { isImageDeleted, org, role, resourceVersion, violation }: Context,
): z.infer<typeof RegistryView> => ({
  name,
  org,
  host: registryHost,
  ...(prefix !== undefined && { repositoryPrefix: prefix }),
  username: account,
  lastCheck,
  // An installation that keeps images itself runs on one machine.
  use: isImageDeleted ? 'none' : 'cluster',
  resourceVersion,
  actions: actionsFor(role, [
    { name: 'putRegistry', requiredRole: 'org-admin' },
    { name: 'deleteRegistry', requiredRole: 'org-admin', blockedBy: violation },
  ]),
});
