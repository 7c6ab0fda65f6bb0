import { z } from 'zod';
import type { PodSecurity } from '../rules/environments/zone-namespace.ts';

const dockerConfigSchema = z.string().refine((text) => {
  try {
    return z.object({ auths: z.record(z.string(), z.object({})) }).safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}, 'must be a JSON object with "auths"');

export const buildVariables = {
  IMAGE_REPOSITORY: z
    .string()
    .default('registry.local/{org}/{product}')
    .describe('Image repository of builds, with {org} and {product}, until a platform admin sets the image registry.'),
  BUILD_STRATEGY: z
    .string()
    .default('buildpacks-v3')
    .describe('ClusterBuildStrategy of Shipwright that builds images.'),
  BUILD_POD_SECURITY: z
    .enum(['restricted', 'baseline', 'privileged'])
    .default('restricted')
    .describe(
      'Pod Security Standard of the namespaces of orgs, in which builds run. Strategies that run as root need baseline.',
    ),
  REGISTRY_PUSH_CREDENTIALS: dockerConfigSchema
    .optional()
    .describe(
      'Credentials with which builds push images, as the text of a Docker config.json. An org can have others in a Secret named registry-push, and Products can push to a registry of their org instead.',
    ),
  REGISTRY_PULL_CREDENTIALS: dockerConfigSchema
    .optional()
    .describe('Credentials with which zones pull images, as the text of a Docker config.json.'),
};

export type BuildConfig = {
  imageRepository: (org: string, product: string) => string;
  buildStrategy: string;
  buildPodSecurity: PodSecurity;
  /** The credentials of image registries, each as the text of a Docker `config.json`. */
  registry: { push: string | undefined; pull: string | undefined };
};

export const toBuildConfig = (env: z.infer<z.ZodObject<typeof buildVariables>>): BuildConfig => ({
  imageRepository: (org, product) => env.IMAGE_REPOSITORY.replace('{org}', org).replace('{product}', product),
  buildStrategy: env.BUILD_STRATEGY,
  buildPodSecurity: env.BUILD_POD_SECURITY,
  registry: { push: env.REGISTRY_PUSH_CREDENTIALS, pull: env.REGISTRY_PULL_CREDENTIALS },
});
