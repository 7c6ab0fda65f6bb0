import { useQuery } from '@tanstack/react-query';
import { ArrowDownToLine, Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { zoneLogsQuery } from '../../api/queries/zone-telemetry.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import { Button } from '../../parts/button.tsx';
import field from '../../parts/field.module.css';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Skeleton } from '../../parts/page.tsx';
import { LogView } from './log-view.tsx';
import { countMatches, formatLines, mergeLines, type LogLine } from './log-lines.ts';
import { Filters, SearchBox, useSearchChange } from './log-filters.tsx';
import { lineCounts, zoneRoute, type ZoneSearch } from './route.ts';
import { useLogKeys } from './use-log-keys.ts';
import styles from './logs.module.css';
import { formatAmount } from '../../parts/format-amount.ts';

type Zone = Schemas['ZoneDetails'];

/** The last lines of the app's logs, which are read again every ten seconds. */
export function LogsTab({ zone }: { zone: Zone }) {
  const params = zoneRoute.useParams();
  const search = zoneRoute.useSearch();
  const { lines: tail = 200, pod, container, contains, level, previous } = search;
  const { data, error, isPending } = useQuery(
    zoneLogsQuery(params, { tail, pod, container, contains, previous: previous ?? false }),
  );
  const all = useMemo(() => mergeLines(data?.pods ?? []), [data]);
  const lines = useMemo(
    () => (level ? all.filter((line) => line.level === 'error' || line.level === level) : all),
    [all, level],
  );
  const [wantsNewest, setWantsNewest] = useState(true);
  const change = useSearchChange();
  // A line that the URL names stays in view.
  const isFollowing = wantsNewest && search.line === undefined;
  const follow = (isNewest: boolean): void => {
    setWantsNewest(isNewest);
    if (isNewest && search.line !== undefined) change({ line: undefined });
  };
  useLogKeys({
    f: () => follow(!isFollowing),
    w: () => change({ wrap: search.wrap ? undefined : true }),
  });
  return (
    <section aria-label="Logs">
      <div className={styles['bar']}>
        <SearchBox contains={contains} onChange={(text) => change({ contains: text || undefined })} />
        <span className="small dim" role="status">
          {describeCount(data, { contains, shown: lines.length })}
        </span>
        <span className={field['seg']} role="group" aria-label="Lines of each pod">
          {lineCounts.map((count) => (
            <button
              key={count}
              type="button"
              aria-pressed={count === tail}
              onClick={() => change({ lines: count === 200 ? undefined : count })}
            >
              {count.toLocaleString('en')}
            </button>
          ))}
        </span>
        <Filters zone={zone} />
        <span className={styles['tools']}>
          <Button small aria-pressed={isFollowing} aria-keyshortcuts="f" onClick={() => follow(!isFollowing)}>
            <ArrowDownToLine className="i s" aria-hidden="true" />
            {isFollowing ? 'Following' : 'Follow'}
          </Button>
          <Button
            small
            aria-pressed={search.wrap === true}
            aria-keyshortcuts="w"
            onClick={() => change({ wrap: search.wrap ? undefined : true })}
          >
            Wrap
          </Button>
          <Button
            small
            aria-pressed={previous === true}
            onClick={() => change({ previous: previous ? undefined : true })}
          >
            Previous container
          </Button>
          <Button
            small
            why={lines.length === 0 ? 'No line is shown.' : undefined}
            onClick={() => download(lines, zone.name)}
          >
            <Download className="i s" aria-hidden="true" />
            Download
          </Button>
        </span>
      </div>
      {error && <ProblemNotice error={error} />}
      {isPending ? (
        <Skeleton />
      ) : lines.length > 0 ? (
        <LogView lines={lines} isFollowing={isFollowing} onFollow={follow} />
      ) : (
        <p className={styles['empty']}>{describeEmpty(search, data?.notRunningReason)}</p>
      )}
    </section>
  );
}

function describeCount(
  logs: Schemas['ZoneLogs'] | undefined,
  { contains, shown }: { contains: string | undefined; shown: number },
): string {
  if (!logs) return '';
  const matches = contains === undefined ? undefined : countMatches(logs.pods);
  if (!matches) return formatAmount(shown, 'line');
  const { count, isComplete } = matches;
  const found = isComplete ? formatAmount(count, 'line') : `At least ${formatAmount(count, 'line')}`;
  return count === shown ? `${found} found` : `${found} found, ${shown.toLocaleString('en')} shown`;
}

function describeEmpty({ contains, level, previous, lines = 200 }: ZoneSearch, reason: string | undefined): string {
  if (contains !== undefined) return `No line contains “${contains}”.`;
  if (level !== undefined) return `None of the last ${lines} lines of each pod has this level.`;
  if (previous) return 'No container has restarted, so there are no earlier logs.';
  return reason ?? 'The app has not logged anything yet.';
}

function download(lines: readonly LogLine[], zone: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([formatLines(lines)], { type: 'text/plain' }));
  link.download = `${zone}-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.log`;
  link.click();
  URL.revokeObjectURL(link.href);
}
