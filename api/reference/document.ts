import type { ApiConfig, App } from '../deps.ts';
import { sessionCookie } from '../authenticate.ts';

/** The OpenAPI description of this install. */
export function openApiDocument(api: App, config: ApiConfig) {
  const registry = api.openAPIRegistry;
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API token; it acts with its owner’s roles.',
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
        'Builds, ships and watches software Products. Each operation’s `x-role` is the least role that it takes.',
    },
    servers: [{ url: `${config.publicUrl}/api` }],
  });
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>;
