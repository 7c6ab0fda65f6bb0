import { keepPreviousData, useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { productQuery } from '../../api/queries/products.ts';
import { request } from '../../api/request.ts';
import type { Product } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { findError } from '../../parts/find-error.ts';
import { PageHead, Section } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { useFocusInvalid } from '../../parts/use-focus-invalid.ts';
import { useDebounced } from '../../parts/use-debounced.ts';
import { useNavigateIfHere } from '../../parts/use-navigate-if-here.ts';
import { announce } from '../../shell/announcer.tsx';
import { EntryFields } from '../zone-settings/settings-fields.tsx';
import { ValuesPreview } from '../zone-settings/values-preview.tsx';
import { settingPaths, toDraft, type Setting, type ZoneDraft } from '../zone-settings/zone-draft.ts';
import styles from '../zone-settings/zone-settings.module.css';
import { ClusterField } from './cluster-field.tsx';
import { newZoneRoute } from './route.ts';

/** Adds a zone to a Product, with the file that this writes. */
export function NewZonePage() {
  const { org, product: productName } = newZoneRoute.useParams();
  const { data: product } = useSuspenseQuery(productQuery(org, productName));
  const [name, setName] = useState(() => findDefaultName(product));
  const [cluster, setCluster] = useState('');
  const [choice, setChoice] = useState<Partial<Pick<ZoneDraft, 'access' | 'promotionPolicy'>>>({});
  const isProduction = name === `${productName}-prod`;
  const defaults = toDraft({
    name,
    access: isProduction ? 'signed-in' : 'public',
    promotionPolicy: isProduction ? 'after-approval' : 'automatic',
  });
  const draft = { ...defaults, ...choice };
  const body: Body = {
    name: name.trim(),
    access: draft.access,
    promotionPolicy: draft.promotionPolicy,
    ...(cluster !== '' && { cluster }),
  };
  const action = product.actions.find((one) => one.name === 'addZone');
  const preview = useNewZonePreview(product, body, action?.allowed === true);
  const add = useAddZone(product);
  const error = add.error ?? (body.name === '' ? null : preview.error);
  const form = useFocusInvalid<HTMLFormElement>(add.error);
  const forbidden = action?.allowed === true ? undefined : (action?.message ?? 'You may not add a zone.');
  const why =
    forbidden ??
    (body.name === '' ? 'Name the zone.' : preview.isBehind ? 'Reading what would be written…' : undefined);
  return (
    <>
      <PageHead title={`Add a zone to ${product.spec.displayName ?? productName}`}>
        It goes last in promotion order, after{' '}
        {product.spec.delivery.zones.map((zone) => zone.name).join(' and ') || 'no other'}. The next Release is promoted
        to it.
      </PageHead>
      <div className={styles['columns']}>
        <form
          ref={form}
          id="zone"
          className={styles['form']}
          onSubmit={(event) => {
            event.preventDefault();
            if (why === undefined && !add.isPending) add.mutate(body);
          }}
        >
          <fieldset className={styles['fields']} disabled={action?.allowed !== true} aria-describedby="zone-why">
            <Field
              label="Name"
              name="name"
              value={name}
              autoFocus
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => {
                add.reset();
                setName(event.target.value);
              }}
              hint="Unique in the installation: it is part of the host name."
              error={findError(error, '/name')}
            />
            <ClusterField value={cluster} error={findError(error, '/cluster')} onChange={setCluster} />
            <EntryFields
              base={draft}
              draft={draft}
              findError={(setting: Setting) => findError(error, `/${settingPaths[setting]}`)}
              onChange={({ access, promotionPolicy }) =>
                setChoice((before) => ({
                  ...before,
                  ...(access && { access }),
                  ...(promotionPolicy && { promotionPolicy }),
                }))
              }
            />
          </fieldset>
        </form>
        <div className={styles['side']}>
          <Section id="written" title="What will be written" note="Nothing is written yet">
            <ValuesPreview
              files={preview.isError ? [] : (preview.data?.files ?? [])}
              none={describeNone(name, preview)}
              isBehind={preview.isBehind}
            />
          </Section>
          <div className={styles['messages']}>{error && <ProblemNotice error={error} />}</div>
          <div className={styles['foot']}>
            <Button look="primary" type="submit" form="zone" why={why} busy={add.isPending}>
              Add {name || 'the zone'}
            </Button>
            <span id="zone-why">
              {why ?? 'Replicas, storage and addresses are settings that you can change after.'}
            </span>
          </div>
        </div>
      </div>
    </>
  );
}

function describeNone(name: string, { isBehind, isError }: { isBehind: boolean; isError: boolean }): string {
  if (name === '') return 'Name the zone to see its file.';
  if (isBehind) return 'Reading what would be written…';
  return isError ? 'Nothing can be written with these settings.' : 'No file changes.';
}

type Body = Pick<ZoneDraft, 'access' | 'promotionPolicy'> & { name: string; cluster?: string };

/** The zone of the default pair that the Product lacks. */
function findDefaultName({ name, spec }: Product): string {
  const names = spec.delivery.zones.map((zone) => zone.name);
  return [`${name}-rc`, `${name}-prod`].find((one) => !names.includes(one)) ?? '';
}

function useNewZonePreview({ org, name: product, generation }: Product, body: Body, isAllowed: boolean) {
  const current = JSON.stringify(body);
  const settled = useDebounced(current);
  const isEnabled = isAllowed && body.name !== '';
  const preview = useQuery({
    queryKey: ['new-zone-preview', org, product, generation, settled],
    queryFn: async ({ signal }) => {
      const preview = await request('post', '/v1/orgs/{org}/products/{product}/zones', {
        params: { org, product },
        query: { dryRun: 'true' },
        body: JSON.parse(settled) as Body,
        signal,
      });
      if (!('dryRun' in preview)) throw new Error('The API did not respond with a preview.');
      return preview;
    },
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return { ...preview, isBehind: isEnabled && (settled !== current || preview.isPending || preview.isPlaceholderData) };
}

function useAddZone({ org, name: product }: Product) {
  const queryClient = useQueryClient();
  const navigate = useNavigateIfHere();
  return useMutation({
    mutationFn: async (body: Body) =>
      await request('post', '/v1/orgs/{org}/products/{product}/zones', { params: { org, product }, body }),
    onSuccess: async (_, { name }) => {
      announce(`${name} was added.`);
      void queryClient.invalidateQueries({ queryKey: ['product', org, product] });
      void queryClient.invalidateQueries({ queryKey: ['zones', org] });
      await navigate({ to: '/$org/products/$product/zones/$zone', params: { org, product, zone: name } });
    },
  });
}
