import { outsideText } from '../agents/outside-text.ts';

export type ReleaseFacts = {
  product: string;
  version: string;
  /** The version before it; absent for the first. */
  previous?: string | undefined;
  url?: string | undefined;
  notes: string;
  commits: { sha: string; message: string }[];
  changes: { run: string; issue?: string; url?: string; pullRequest?: string; summaries: string[] }[];
};

const commitsMax = 200;
const changesMax = 50;
const charactersMax = 60_000;

/** What an agent is told about the Release that its run is about; all of it was written by others. */
export function releaseFacts(facts: ReleaseFacts): string {
  const { product, version, previous, url, notes } = facts;
  const since = previous === undefined ? 'It is the first.' : `The version before it is ${previous}.`;
  const text = [
    section('Notes', notes.trim()),
    section('Changes', listed(facts.changes.map(changeText), changesMax)),
    section('Commits', listed(facts.commits.map(commitText), commitsMax)),
  ]
    .filter(Boolean)
    .join('\n\n')
    .slice(0, charactersMax);
  return [
    `The Release ${version} of the Product "${product}" has been tagged. ${since}${url === undefined ? '' : ` ${url}`}`,
    outsideText(`release ${version}`, text === '' ? 'Nothing is known about what is in it.' : text),
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

function listed(lines: string[], max: number): string {
  const more = lines.length - max;
  return [...lines.slice(0, max), ...(more > 0 ? [`- … and ${more} more`] : [])].join('\n');
}
