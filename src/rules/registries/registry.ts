import { z } from 'zod';

/** A host name as container tools write it: lowercase, with a port if it is not the usual one. */
export const RegistryHost = z
  .string()
  .trim()
  .max(259)
  .toLowerCase()
  .regex(
    /^(?=[^:]{1,253}(:|$))([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(:[1-9]\d{0,4})?$/,
    {
      error:
        'must be a host such as registry.example.com or registry.example.com:5000, without https:// and without a path',
      abort: true,
    },
  )
  .refine((host) => Number(host.split(':')[1] ?? 443) <= 65_535, 'must have a port of at most 65535')
  .refine(isNamedAsHost, 'must have a dot or another port than 443: images at this name would be those of Docker Hub')
  .describe('Host of the registry, with a port if it is not 443.');

export const RepositoryPrefix = z
  .string()
  .max(200)
  .regex(
    /^[a-z0-9]+([._-]+[a-z0-9]+)*(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/,
    'must be path components of lowercase letters, digits, ".", "_" and "-", such as acme or acme/team',
  )
  .describe('Path below which the org’s images are. With it, the service checks what the account may do there.');

const username = z
  .string()
  .min(1)
  .max(500)
  // A colon would end the name in the header of the request.
  .regex(/^[\x21-\x39\x3b-\x7e]+$/, 'must be printable ASCII without spaces and colons')
  .describe('Account that pulls and pushes images.');

const password = z
  .string()
  .min(1)
  .max(8000)
  .describe('Password or access token of the account. It is stored as a secret and never returned.');

/** A connected registry. The password is in no view. */
export const RegistrySettings = z.strictObject({
  host: RegistryHost,
  repositoryPrefix: RepositoryPrefix.optional(),
  username,
  password,
});
export type RegistrySettings = z.infer<typeof RegistrySettings>;

/** The findings of a check: with a prefix what the account may do below it, otherwise only that it exists. */
export const registryAccesses = ['signed-in', 'pull', 'pull-and-push'] as const;
export const RegistryCheck = z.object({
  access: z
    .enum(registryAccesses)
    .describe(
      'What the registry allowed: `signed-in` if there is no repository prefix to try, `pull` or `pull-and-push` below it.',
    ),
  at: z.iso.datetime().describe('Time of the check.'),
});
export type RegistryCheck = z.infer<typeof RegistryCheck>;
export type RegistryAccess = RegistryCheck['access'];

export type Registry = RegistrySettings & {
  name: string;
  lastCheck: RegistryCheck;
  /** Id of the request that connected the registry, until its settings are replaced. */
  request?: string | undefined;
};

/** The number of registries of one org, whose credentials are all in one Secret. */
export const registriesMax = 20;

/** In the name of an image, tools take a first part without a dot and a port for an account of Docker Hub. */
function isNamedAsHost(host: string): boolean {
  const name = host.replace(/:443$/, '');
  return name === 'localhost' || /[.:]/.test(name);
}
