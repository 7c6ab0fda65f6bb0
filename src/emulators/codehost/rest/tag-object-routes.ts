import { z } from 'zod';
import { toSignature } from '../accounts.ts';
import { HttpError, notFound } from '../http-error.ts';
import { findObjectType } from '../git/revisions.ts';
import type { Host } from '../host.ts';
import { isRefName } from '../names.ts';
import { repositoryApiUrl } from '../repositories.ts';
import type { Repository } from '../tables.ts';
import { formatTimestamp } from '../format-timestamp.ts';
import { getPathParam, getAccessibleRepository, readBody, getSender } from './requests.ts';
import type { RestApi } from './requests.ts';

const TagBody = z.object({
  tag: z.string(),
  message: z.string(),
  object: z.string(),
  type: z.enum(['commit', 'tree', 'blob']),
  tagger: z
    .object({ name: z.string().min(1), email: z.string().min(1), date: z.iso.datetime({ offset: true }).optional() })
    .optional(),
});

/** These routes create annotated tag objects. A ref to the object's sha names the tag. */
export function tagObjectRoutes(rest: RestApi, host: Host): void {
  rest.post('/v3/repos/:owner/:repo/git/tags', async (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'contents', level: 'write' });
    const directory = host.directory(repository);
    const { tag, message, object, type, tagger } = await readBody(c, TagBody, 'Tag');
    if (!isRefName(tag)) throw new HttpError(422, `${tag} is not a valid tag name.`);
    if ((await findObjectType(host.git, directory, object)) !== type) throw new HttpError(422, 'Object does not exist');
    const signature =
      tagger === undefined ? toSignature(getSender(c)) : { ...tagger, date: formatTimestamp(tagger.date) };
    const clean = (text: string): string => text.replace(/[<>\n\0]/g, '');
    const seconds = Math.floor(Date.parse(signature.date) / 1000);
    const input = `object ${object}\ntype ${type}\ntag ${tag}\ntagger ${clean(signature.name)} <${clean(signature.email)}> ${seconds} +0000\n\n${message.trimEnd()}\n`;
    const sha = await host.git.text(directory, ['mktag'], { input });
    return c.json(await toTagJson(host, repository, sha), 201);
  });

  rest.get('/v3/repos/:owner/:repo/git/tags/:sha', async (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'contents', level: 'read' });
    if ((await findObjectType(host.git, host.directory(repository), getPathParam(c, 'sha'))) !== 'tag')
      throw notFound();
    return c.json(await toTagJson(host, repository, getPathParam(c, 'sha')));
  });
}

async function toTagJson(host: Host, repository: Repository, sha: string) {
  const api = repositoryApiUrl(host, repository);
  const text = await host.git.text(host.directory(repository), ['cat-file', 'tag', sha]);
  const end = text.indexOf('\n\n');
  const head = text.slice(0, end);
  const field = (name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(head)?.[1] ?? '';
  const [, name = '', email = '', seconds = '0'] = /^(.*) <(.*)> (\d+)/.exec(field('tagger')) ?? [];
  const object = { sha: field('object'), type: field('type'), url: `${api}/git/${field('type')}s/${field('object')}` };
  return {
    node_id: Buffer.from(`tagobject:${sha}`).toString('base64url'),
    tag: field('tag'),
    sha,
    url: `${api}/git/tags/${sha}`,
    message: text.slice(end + 2).trimEnd(),
    tagger: { name, email, date: formatTimestamp(new Date(Number(seconds) * 1000)) },
    object,
    verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
  };
}
