import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Schemas } from '../../api/generated/openapi.ts';
import { SearchInput } from '../../parts/search-input.tsx';
import { Select } from '../../parts/select.tsx';
import { logLevels, zoneRoute, type ZoneSearch } from './route.ts';

type Zone = Schemas['ZoneDetails'];

const levelWords = { warn: 'Warnings and errors', error: 'Errors' };

/** Changes the filters in the URL. */
export function useSearchChange(): (changes: { [Name in keyof ZoneSearch]?: ZoneSearch[Name] | undefined }) => void {
  const params = zoneRoute.useParams();
  const navigate = useNavigate();
  const { contains } = zoneRoute.useSearch();
  return (changes) =>
    void navigate({
      to: '/$org/products/$product/zones/$zone',
      params,
      search: (before) => {
        const after = Object.entries({ ...before, line: undefined, ...changes });
        return Object.fromEntries(after.filter(([, value]) => value !== undefined));
      },
      // Typing on makes no further step of the history.
      replace: 'contains' in changes && contains !== undefined,
      resetScroll: false,
    });
}

type SearchBoxProps = {
  contains: string | undefined;
  onChange: (text: string) => void;
};

/** Searches in the whole log of each pod, a moment after the last letter. */
export function SearchBox({ contains = '', onChange }: SearchBoxProps) {
  const latest = useRef(onChange);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <SearchInput
      aria-label="Search the logs"
      aria-keyshortcuts="/"
      placeholder="Search the logs"
      maxLength={500}
      words={contains}
      onSearch={(words) => {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => latest.current(words), 300);
      }}
    />
  );
}

/** Narrows the logs to a pod, a container or a level. */
export function Filters({ zone: { pods } }: { zone: Zone }) {
  const { pod, container, level } = zoneRoute.useSearch();
  const change = useSearchChange();
  const containers = [...new Set(pods.flatMap((one) => one.containers))];
  return (
    <>
      {pods.length > 1 && (
        <Select
          label="Pod"
          value={pod ?? ''}
          options={[['', 'All pods'], ...pods.map(({ name }): [string, string] => [name, name])]}
          onChange={(value) => change({ pod: value || undefined })}
        />
      )}
      {containers.length > 1 && (
        <Select
          label="Container"
          value={container ?? ''}
          options={[['', 'The app'], ...containers.map((name): [string, string] => [name, name])]}
          onChange={(value) => change({ container: value || undefined })}
        />
      )}
      <Select
        label="Level"
        value={level ?? ''}
        options={[['', 'All levels'], ...logLevels.map((one): [string, string] => [one, levelWords[one]])]}
        onChange={(value) => change({ level: logLevels.find((one) => one === value) })}
      />
    </>
  );
}
