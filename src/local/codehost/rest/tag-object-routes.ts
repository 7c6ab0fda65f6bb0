import { z } from 'zod';
import { signatureOf } from '../accounts.ts';
import { Failure, notFound } from '../failure.ts';
import { objectType } from '../git/revisions.ts';
import type { Host } from '../host.ts';
import { isRefName } from '../names.ts';
import { repositoryApiUrl } from '../repositories.ts';
import type { Repository } from '../rows.ts';
import { hostTime } from '../times.ts';
import { part, reach, readBody, sender } from './requests.ts';
import type { Rest } from './requests.ts';

const TagBody = z.object({
  tag: z.string(),
  message: z.string(),
  object: z.string(),
  type: z.enum(['commit', 'tree', 'blob']),
  tagger: z
    .object({ name: z.string().min(1), email: z.string().min(1), date: z.iso.datetime({ offset: true }).optional() })
    .optional(),
});

/** Annotated tags; a ref made with the object's sha gives one its name. */
export function tagObjectRoutes(rest: Rest, host: Host): void {
  rest.post('/v3/repos/:owner/:repo/git/tags', async (c) => {
    const repository = reach(host, c, { permission: 'contents', level: 'write' });
    const directory = host.directory(repository);
    const { tag, message, object, type, tagger } = await readBody(c, TagBody, 'Tag');
    if (!isRefName(tag)) throw new Failure(422, `${tag} is not a valid tag name.`);
    if ((await objectType(host.git, directory, object)) !== type) throw new Failure(422, 'Object does not exist');
    const by = tagger === undefined ? signatureOf(sender(c)) : { ...tagger, date: hostTime(tagger.date) };
    const clean = (text: string): string => text.replace(/[<>\n\0]/g, '');
    const seconds = Math.floor(Date.parse(by.date) / 1000);
    const input = `object ${object}\ntype ${type}\ntag ${tag}\ntagger ${clean(by.name)} <${clean(by.email)}> ${seconds} +0000\n\n${message.trimEnd()}\n`;
    const sha = await host.git.text(directory, ['mktag'], { input });
    return c.json(await tagShape(host, repository, sha), 201);
  });

  rest.get('/v3/repos/:owner/:repo/git/tags/:sha', async (c) => {
    const repository = reach(host, c, { permission: 'contents', level: 'read' });
    if ((await objectType(host.git, host.directory(repository), part(c, 'sha'))) !== 'tag') throw notFound();
    return c.json(await tagShape(host, repository, part(c, 'sha')));
  });
}

async function tagShape(host: Host, repository: Repository, sha: string) {
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
    tagger: { name, email, date: hostTime(new Date(Number(seconds) * 1000)) },
    object,
    verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
  };
}
