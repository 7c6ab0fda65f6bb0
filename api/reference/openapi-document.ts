import type { ApiConfig, App } from '../deps.ts';
import { sessionCookie } from '../auth/authenticate.ts';

/** Generates the OpenAPI document of this installation. */
export function openApiDocument(api: App, config: ApiConfig) {
  const registry = api.openAPIRegistry;
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API token. It has the roles of its owner.',
  });
  registry.registerComponent('securitySchemes', 'session', { type: 'apiKey', in: 'cookie', name: sessionCookie });
  registry.registerComponent('securitySchemes', 'setupToken', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Setup-Token',
  });
  return api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Delivery Platform Service',
      version: config.version,
      description:
        'Builds, delivers and operates software Products. The `x-role` of an operation is the minimum role that it requires.',
    },
    servers: [{ url: `${config.publicUrl}/api` }],
  });
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>;
