import { createHash } from 'node:crypto';

/** The text of a Docker `config.json`, as a builder or a node finds it in a Secret. */
export type DockerConfig = string;

const toDigest = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;
const manifestType = 'application/vnd.oci.image.manifest.v1+json';

/** Finds the credentials of a repository as nodes do: those of the longest path apply. */
function findAuthorization(config: DockerConfig, repository: string): Record<string, string> {
  const { auths = {} } = JSON.parse(config) as { auths?: Record<string, { auth: string }> };
  const matching = Object.keys(auths).filter((key) => `${repository}/`.startsWith(`${key}/`));
  const key = matching.toSorted((one, other) => other.length - one.length)[0];
  return key === undefined ? {} : { authorization: `Basic ${auths[key]?.auth}` };
}

function createSender(config: DockerConfig, repository: string) {
  const [host = '', ...path] = repository.split('/');
  const headers = { accept: manifestType, ...findAuthorization(config, repository) };
  return async (method: string, target: string, init: { body?: Buffer; type?: string } = {}): Promise<Response> =>
    await fetch(new URL(target, `http://${host}/v2/${path.join('/')}/`), {
      method,
      headers: { ...headers, ...(init.type && { 'content-type': init.type }) },
      ...(init.body && { body: new Uint8Array(init.body) }),
    });
}

/** Pushes an image whose only content is the text, as a builder does. Returns its digest, or the status that refused it. */
export async function pushImage(
  config: DockerConfig,
  { repository, tag, text }: { repository: string; tag: string; text: string },
): Promise<string | number> {
  const send = createSender(config, repository);
  const content = Buffer.from(JSON.stringify({ text }));
  const begun = await send('POST', 'blobs/uploads/');
  if (begun.status !== 202) return begun.status;
  const upload = new URL(begun.headers.get('location') ?? '');
  upload.searchParams.set('digest', toDigest(content));
  const stored = await send('PUT', upload.href, { body: content, type: 'application/octet-stream' });
  if (stored.status !== 201) return stored.status;
  const blob = {
    mediaType: 'application/vnd.oci.image.config.v1+json',
    digest: toDigest(content),
    size: content.length,
  };
  const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: manifestType, config: blob, layers: [] }));
  const tagged = await send('PUT', `manifests/${tag}`, { body: manifest, type: manifestType });
  return tagged.status === 201 ? toDigest(manifest) : tagged.status;
}

/** Pulls the manifest of an image, as a node does. Returns the status. */
export async function pullImage(config: DockerConfig, image: { repository: string; digest: string }): Promise<number> {
  return (await createSender(config, image.repository)('GET', `manifests/${image.digest}`)).status;
}
