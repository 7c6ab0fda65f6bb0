import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import page from '../../parts/page.module.css';
import { Patch } from '../../parts/patch.tsx';
import { Mark } from '../../parts/state.tsx';
import { useDebounced } from '../../parts/use-debounced.ts';
import type { ZoneEdit } from './use-zone-edit.ts';
import styles from './zone-settings.module.css';

type Preview = Schemas['ValuesPreview'];

/**
 * Reads from the API what an edit would write, without writing it. `isBehind` says that the response is about an
 * earlier edit.
 */
export function useValuesPreview(org: string, product: string, edit: ZoneEdit) {
  const current = JSON.stringify(edit.body);
  const body = useDebounced(current);
  const isEnabled = edit.isDirty && edit.theirs.length === 0;
  const preview = useQuery({
    queryKey: ['values-preview', org, product, body],
    queryFn: async ({ signal }): Promise<Preview> => {
      const preview = await request('put', '/v1/orgs/{org}/products/{product}', {
        params: { org, product },
        query: { dryRun: 'true' },
        body: JSON.parse(body) as ZoneEdit['body'],
        signal,
      });
      if (!('dryRun' in preview)) throw new Error('The API did not respond with a preview.');
      return preview;
    },
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });
  return { ...preview, isBehind: isEnabled && (body !== current || preview.isPending || preview.isPlaceholderData) };
}

/** The changes of the values files, before anything is written. */
export const ValuesPreview = ({
  files,
  none,
  isBehind,
}: {
  files: Preview['files'];
  none: string;
  isBehind: boolean;
}) => (
  <div aria-busy={isBehind || undefined}>
    {files.length === 0 && <p className="dim">{none}</p>}
    {files.map(({ path, patch }) => (
      <Patch key={path} path={path} patch={patch} />
    ))}
  </div>
);

export const ReplacedPods = ({ zone }: { zone: string }) => (
  <div className={`${page['notice']} ${styles['below']}`} data-state="warn">
    <Mark state="warn" />
    <p>
      <b>Pods are replaced, not overlapped,</b> because they have a volume: {zone} answers nothing until the new ones
      have started.
    </p>
  </div>
);
