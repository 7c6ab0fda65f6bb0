import { useQuery } from '@tanstack/react-query';
import { releasesQuery } from '../../api/queries/releases.ts';
import type { Release } from '../../api/types.ts';
import { Section } from '../../parts/page.tsx';
import { Mark } from '../../parts/state.tsx';
import { formatDuration, Time, useNow } from '../../parts/time.tsx';
import styles from '../../parts/timeline.module.css';
import { findMedians, listStages, measureStage, type Stage } from './stages.ts';

const comparedMax = 20;

/** A bar for each stage, with the median of other Releases. */
export function StagesTable({ release }: { release: Release }) {
  const { org, name, spec } = release;
  const now = useNow(1_000);
  const { data: others } = useQuery(releasesQuery(org, spec.product));
  const compared = (others?.items ?? []).filter((one) => one.name !== name).slice(0, comparedMax);
  const medians = findMedians(compared);
  const stages = listStages(release);
  const worked = stages.filter(({ wait }) => !wait).map((stage) => measureStage(stage, now) ?? 0);
  const longest = Math.max(1_000, ...worked, ...medians.values());
  return (
    <Section id="stages" title="Stages" note={medians.size > 0 && describeMedians(compared.length)}>
      <div className={`${styles['tl']} ${styles['stages']}`} role="table" aria-labelledby="stages">
        <div className={`${styles['r']} ${styles['h']}`} role="row">
          <div role="columnheader">Stage</div>
          <div role="columnheader">
            <span className="sr">Share of the longest stage</span>
          </div>
          {['Took', 'Median', 'Ended'].map((title) => (
            <div key={title} className={styles['n']} role="columnheader">
              {title}
            </div>
          ))}
        </div>
        {stages.map((stage) => (
          <Row key={stage.name} stage={stage} median={medians.get(stage.name)} longest={longest} now={now} />
        ))}
      </div>
    </Section>
  );
}

const describeMedians = (count: number): string =>
  `The upright mark is the ${count === 1 ? 'time of the only other Release' : `median of ${count} other Releases`}`;

type RowProps = { stage: Stage; median: number | undefined; longest: number; now: number };

function Row({ stage, median, longest, now }: RowProps) {
  const { name, state, words, endedAt, startedAt, wait } = stage;
  const ms = measureStage(stage, now);
  const toPercent = (part: number): string => `${Math.min(100, (100 * part) / longest)}%`;
  return (
    <div className={styles['r']} role="row">
      <div className={styles['nm']} role="rowheader">
        <Mark state={state} />
        <span>{name}</span>
      </div>
      <div className={styles['track']} role="cell">
        {ms !== undefined && (
          <span className={styles['bar']} data-state={state} style={{ width: toPercent(wait ? longest : ms) }} />
        )}
        {median !== undefined && !wait && <b style={{ left: toPercent(median) }} />}
        <span className="sr">{words}</span>
      </div>
      <div className={styles['n']} role="cell">
        {ms === undefined ? state !== 'idle' && state !== 'done' && words : formatDuration(ms)}
      </div>
      <div className={`${styles['n']} faint`} role="cell">
        {median !== undefined && !wait && formatDuration(median)}
      </div>
      <div className={`${styles['n']} faint`} role="cell">
        {endedAt !== undefined && endedAt !== startedAt && <Time at={endedAt} />}
      </div>
    </div>
  );
}
