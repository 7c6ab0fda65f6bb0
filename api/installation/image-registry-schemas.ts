import { z } from '@hono/zod-openapi';
import { RegistryCheck, RegistrySettings, RepositoryPrefix } from '../../src/rules/registries/registry.ts';
import { ActionView } from '../http/views.ts';

const { host, username, password } = RegistrySettings.shape;

const repositoryPrefix = RepositoryPrefix.describe(
  'Path below which the images are, each at `{org}/{product}`. The service checks below it what the accounts may do.',
);

const Account = z.strictObject({
  username: username.describe('Name of the account.'),
  password: password
    .optional()
    .openapi({ description: 'Password or access token. Without it the stored one stays, for the same host.' }),
});

export const ImageRegistryBody = z
  .strictObject({
    host,
    repositoryPrefix,
    push: Account.describe('Account with which builds push images.'),
    pull: Account.describe(
      'Account with which zones pull images. Each zone holds its password, so it should not push.',
    ),
  })
  .openapi('ImageRegistryBody');
export type ImageRegistryBody = z.infer<typeof ImageRegistryBody>;

const AccountView = z.object({
  username: z.string().describe('Name of the account. Its password is never returned.'),
  lastCheck: z.object(RegistryCheck.shape).describe('What the registry allowed when it was last checked.'),
});

export const ImageRegistryView = z
  .object({
    source: z
      .enum(['settings', 'environment'])
      .describe('Whether the registry was set here, or is that of the environment variables.'),
    repository: z.string().describe('Image repository of a Product, with `{org}` and `{product}` for the names.'),
    host: z.string().optional().describe('Host of the registry; absent for that of the environment.'),
    repositoryPrefix: z.string().optional().describe('Path below which the images are.'),
    push: AccountView.optional().describe('Account with which builds push images.'),
    pull: AccountView.optional().describe('Account with which zones pull images.'),
    previous: z
      .array(z.object({ host, repositoryPrefix: RepositoryPrefix.optional() }))
      .describe('Earlier registries, from which zones still pull the images that they run.'),
    use: z
      .enum(['cluster', 'none'])
      .describe(
        'Who uses the registry: builds and zones in the `cluster`, or nothing (`none`) on one machine, which keeps images itself.',
      ),
    resourceVersion: z
      .string()
      .optional()
      .describe('Version of the settings, for `If-Match`; absent until they exist.'),
    actions: z.array(ActionView).describe('Operations on the registry, with whether the caller can perform them now.'),
  })
  .openapi('ImageRegistry');
