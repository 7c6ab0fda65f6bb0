import type { ApiConfig, App } from '../deps.ts';
import { sessionCookie } from '../auth/authenticate.ts';
import { commonHeaders, commonParameters } from './common-parts.ts';
import { completeOperation } from './complete-operation.ts';
import { listOperations, type OpenApiDocument } from './document-types.ts';
import { specifyEmails } from './specify-emails.ts';
import { tags } from './tags.ts';

/** Generates the OpenAPI document of this installation from its routes. */
export function openApiDocument(api: App, { version, publicUrl }: Pick<ApiConfig, 'version' | 'publicUrl'>) {
  const registry = api.openAPIRegistry;
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API token. It has the roles of its owner.',
  });
  registry.registerComponent('securitySchemes', 'session', {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: 'The cookie of a browser session, which `signIn` sets.',
  });
  registry.registerComponent('securitySchemes', 'alertToken', {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of Alertmanager, in the Secret `service-alert-webhook`.',
  });
  registry.registerComponent('securitySchemes', 'setupToken', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Setup-Token',
    description: 'The setup token, which the service writes to its data directory. It creates the root user.',
  });
  const document = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Delivery Platform Service',
      version,
      description,
      contact: {
        name: 'The operators of this installation',
        url: publicUrl,
        // The mailbox that RFC 2142 reserves for it.
        email: `support@${new URL(publicUrl).hostname}`,
      },
      license: { name: 'Terms of the operators of this installation', url: publicUrl },
    },
    servers: [{ url: `${publicUrl}/api`, description: 'This installation' }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
  });
  return complete(specifyEmails(document) as unknown as OpenApiDocument);
}

const description = `Builds, delivers and operates software Products.

Authenticate with an API token (\`Authorization: Bearer …\`), which \`mintToken\` creates. The \`x-role\` of an operation is the minimum role that it requires. Its \`x-credential\` is \`session\` if only a browser session may call it, and \`password-session\` if that session must have begun with a password.

Errors are problem documents (RFC 9457) with a machine-readable \`reason\`. Lists return pages: send the \`continue\` of a page as the query parameter of the next request. An operation with \`x-event-stream\` also returns server-sent events if the request accepts \`text/event-stream\`.`;

function complete({ openapi, info, servers, tags: groups, paths, components }: OpenApiDocument): OpenApiDocument {
  const completed = listOperations({ paths }).map((entry) => ({
    ...entry,
    operation: completeOperation(entry, components.schemas),
  }));
  const byPath = Map.groupBy(completed, ({ path }) => path);
  const items = [...byPath].map(([path, entries]) => [
    path,
    Object.fromEntries(entries.map(({ method, operation }) => [method, operation])),
  ]);
  return {
    openapi,
    info,
    servers,
    tags: groups,
    paths: Object.fromEntries(items),
    components: {
      ...components,
      parameters: pickReferenced(commonParameters, 'parameters', items),
      headers: pickReferenced(commonHeaders, 'headers', items),
    },
  };
}

function pickReferenced<T>(parts: Record<string, T>, kind: string, items: unknown): Record<string, T> {
  const text = JSON.stringify(items);
  return Object.fromEntries(Object.entries(parts).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)));
}
