import { wrapUntrusted } from '../agents/untrusted-content.ts';

export type ReleaseFacts = {
  product: string;
  version: string;
  /** The previous version; absent for the first Release. */
  previous?: string | undefined;
  url?: string | undefined;
  notes: string;
  commits: { sha: string; message: string }[];
  changes: { run: string; issue?: string; url?: string; pullRequest?: string; summaries: string[] }[];
};

const commitsMax = 200;
const changesMax = 50;
const charactersMax = 60_000;

/** Describes the Release of a run to its agents. All of the content is untrusted. */
export function describeRelease(facts: ReleaseFacts): string {
  const { product, version, previous, url, notes } = facts;
  const since = previous === undefined ? 'It is the first version.' : `The previous version is ${previous}.`;
  const text = [
    section('Notes', notes.trim()),
    section('Changes', listLines(facts.changes.map(changeText), changesMax)),
    section('Commits', listLines(facts.commits.map(commitText), commitsMax)),
  ]
    .filter(Boolean)
    .join('\n\n')
    .slice(0, charactersMax);
  return [
    `The Release ${version} of the Product "${product}" has been tagged. ${since}${url === undefined ? '' : ` ${url}`}`,
    wrapUntrusted(`release ${version}`, text === '' ? 'No notes, Changes or commits are known.' : text),
  ].join('\n\n');
}

const section = (title: string, text: string): string => (text === '' ? '' : `${title}:\n${text}`);

const commitText = ({ sha, message }: ReleaseFacts['commits'][number]): string =>
  `- ${sha.slice(0, 12)} ${message.split('\n')[0]?.slice(0, 200) ?? ''}`;

function changeText({ run, issue, url, pullRequest, summaries }: ReleaseFacts['changes'][number]): string {
  const links = [url, pullRequest].filter((link) => link !== undefined);
  return [
    `- ${issue ?? run}${links.length > 0 ? ` (${links.join(', ')})` : ''}`,
    ...summaries.map((one) => `  ${one}`),
  ].join('\n');
}

function listLines(lines: string[], max: number): string {
  const more = lines.length - max;
  return [...lines.slice(0, max), ...(more > 0 ? [`- … and ${more} more`] : [])].join('\n');
}
