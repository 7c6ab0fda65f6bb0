import { z } from 'zod';

/** A label of a host name, because the names of zones, Products and orgs become parts of host names and namespaces. */
export const NameLabel = z
  .string()
  .min(1)
  .max(40)
  .regex(
    /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
    'must be lowercase letters, digits and "-", start with a letter and not end with "-"',
  );

/** A text of at most so many characters that is more than space. Space at its ends is removed. */
export const trimmedText = (max: number) => z.string().trim().max(max).regex(/\S/, 'must have at least 1 character');

/** Control characters, and those that reorder or hide text. The joiners stay, because emoji and some scripts need them. */
const unreadable = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/u;
const readable = (text: z.ZodString): z.ZodString =>
  text.refine(
    (value) => !unreadable.test(value),
    'must have no control characters, and none that reorder or hide text',
  );

/** A name or title for people, in one line, which cannot look like another one. */
export const nameText = (max: number) => readable(z.string().max(max));
/** A name for people that is more than space. Space at its ends is removed. */
export const titleText = (max: number) => readable(trimmedText(max));

const pageOfUi = 'is the name of a page of the web UI: choose another name';
/** The web UI has pages of its own at the paths of these names, so that a resource could not be opened there. */
export const OrgName = NameLabel.refine(
  (name) => !'api assets device help settings setup signin status'.split(' ').includes(name),
  pageOfUi,
);
export const ProductName = NameLabel.refine((name) => name !== 'new', pageOfUi);
export const ZoneName = NameLabel.refine((name) => name !== 'new', pageOfUi);

/** An address as mail servers accept it, with the lengths of RFC 5321 and RFC 1035. */
export const emailPattern =
  /^(?=[^@]{1,64}@)[A-Za-z0-9_'+-]+(\.[A-Za-z0-9_'+-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;
export const EmailAddress = z.email({ pattern: emailPattern }).max(254);

/** `<owner>/<repo>` on the code host. Hosts ignore a `.git` at the end, so it would be a second name of the same repo. */
export const RepoName = z
  .string()
  .max(140)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9-]*\/(?!\.{1,2}$|.*\.[gG][iI][tT]$)[A-Za-z0-9._-]+$/,
    'must be <owner>/<repo>, without ".git" at its end',
  );

export const Timestamp = z.iso.datetime();
/** A time in a request may have an offset (RFC 3339); it is stored in UTC. */
export const RequestTimestamp = z.iso
  .datetime({ offset: true })
  .transform((text) => (text.endsWith('Z') ? text : new Date(text).toISOString()));

export const PullRequestRef = z.object({
  number: z.int().describe('Number of the pull request.'),
  url: z.string().describe('URL of the pull request at the code host.'),
});
