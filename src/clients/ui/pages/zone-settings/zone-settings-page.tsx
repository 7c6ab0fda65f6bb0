import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { productQuery } from '../../api/queries/products.ts';
import { zoneQuery } from '../../api/queries/zones.ts';
import { ApiProblem, request } from '../../api/request.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import type { Product } from '../../api/types.ts';
import { every } from '../../live/live-state.ts';
import { Button } from '../../parts/button.tsx';
import { findError } from '../../parts/find-error.ts';
import { PageHead, Section } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Age } from '../../parts/time.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';
import { useFocusInvalid } from '../../parts/use-focus-invalid.ts';
import { useNavigateIfHere } from '../../parts/use-navigate-if-here.ts';
import { announce } from '../../shell/announcer.tsx';
import { Removed } from '../zone/removal.tsx';
import { AppliedNotice } from './applied-notice.tsx';
import { RemoveZone } from './remove-zone.tsx';
import { zoneSettingsRoute } from './route.ts';
import { SettingsFields } from './settings-fields.tsx';
import { ConflictingSettings } from './conflicting-settings.tsx';
import { useZoneEdit } from './use-zone-edit.ts';
import { ReplacedPods, useValuesPreview, ValuesPreview } from './values-preview.tsx';
import { settingPaths, type Setting, type ZoneSpec } from './zone-draft.ts';
import styles from './zone-settings.module.css';

type Zone = Schemas['ZoneDetails'];

/** The settings of a zone, with what they would write before they are saved. */
export function ZoneSettingsPage() {
  const params = zoneSettingsRoute.useParams();
  const { data: zone, error } = useSuspenseQuery({ ...zoneQuery(params), refetchInterval: every(5_000) });
  const { data: product, dataUpdatedAt } = useSuspenseQuery({
    ...productQuery(params.org, params.product),
    refetchInterval: every(5_000),
  });
  const spec = product.spec.delivery.zones.find(({ name }) => name === params.zone);
  // The page leads on, because the settings of a removed zone are no longer shown.
  const navigate = useNavigateIfHere();
  const showRemoval = async (): Promise<void> =>
    await navigate({ to: '/$org/products/$product/zones/$zone', params, ignoreBlocker: true });
  if (error instanceof ApiProblem && error.status === 404) return <Removed zone={zone} />;
  return (
    <>
      <PageHead title={`Settings of ${params.zone}`}>
        Written into{' '}
        <code>
          products/{params.product}/zones/{params.zone}/values.yaml
        </code>{' '}
        of the gitops repo; the deployment controller applies it.
      </PageHead>
      {spec ? (
        <Editor
          zone={zone}
          product={product}
          spec={spec}
          readAt={new Date(dataUpdatedAt).toISOString()}
          onRemoved={showRemoval}
        />
      ) : (
        <p>
          This zone is being removed, so its settings cannot be changed.{' '}
          <Link to="/$org/products/$product/zones/$zone" params={params}>
            Follow its removal
          </Link>
        </p>
      )}
    </>
  );
}

type EditorProps = { zone: Zone; product: Product; spec: ZoneSpec; readAt: string; onRemoved: () => Promise<void> };

function Editor({ zone, product, spec, readAt, onRemoved }: EditorProps) {
  const { org } = product;
  const edit = useZoneEdit(product, spec);
  const preview = useValuesPreview(org, product.name, edit);
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: async () => {
      const response = await request('put', '/v1/orgs/{org}/products/{product}', {
        params: { org, product: product.name },
        body: edit.body,
      });
      return { sent: edit.draft, saved: response as Product };
    },
    onSuccess: ({ sent, saved }) => {
      queryClient.setQueryData(productQuery(org, product.name).queryKey, saved);
      edit.settle(sent, saved.spec.delivery.zones.find(({ name }) => name === zone.name) ?? spec);
      announce('Requested. The settings are being applied.');
    },
    onSettled: async () => {
      await queryClient.invalidateQueries(productQuery(org, product.name));
      await queryClient.invalidateQueries(zoneQuery({ org, product: product.name, zone: zone.name }));
    },
  });
  const discard = (): void => {
    save.reset();
    edit.discard();
  };
  const keepMine = (): void => {
    save.reset();
    edit.keepMine();
  };
  const form = useFocusInvalid<HTMLFormElement>(save.error);
  const action = product.actions.find(({ name }) => name === 'replaceProduct');
  const why = action?.allowed === true ? undefined : (action?.message ?? 'You may not change these settings.');
  const error = edit.isDirty ? (save.error ?? preview.error) : save.error;
  const index = product.spec.delivery.zones.findIndex(({ name }) => name === zone.name);
  const findSettingError = (setting: Setting, part?: string): string | undefined =>
    findError(error, [`/spec/delivery/zones/${index}/${settingPaths[setting]}`, part].filter(Boolean).join('/'));
  const unchanged = edit.isDirty ? undefined : 'Nothing differs from what is saved.';
  const whyNotSave =
    why ??
    unchanged ??
    (edit.theirs.length > 0
      ? 'Choose between theirs and yours first.'
      : preview.isBehind
        ? 'Reading what would be written…'
        : undefined);
  const files = edit.isDirty ? (preview.data?.files ?? []) : [];
  return (
    <div className={styles['columns']}>
      <Unsaved isDirty={edit.isDirty} />
      <form
        ref={form}
        id="settings"
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (whyNotSave === undefined && !save.isPending) save.mutate();
        }}
      >
        <fieldset disabled={why !== undefined} aria-describedby="settings-why" className={styles['fields']}>
          <SettingsFields
            org={org}
            isScaffolded={product.spec.source !== undefined}
            ownHost={zone.status.address === undefined ? undefined : new URL(zone.status.address).hostname}
            base={edit.base}
            draft={edit.draft}
            findError={findSettingError}
            onChange={(changes) => {
              save.reset();
              edit.change(changes);
            }}
          />
        </fieldset>
      </form>
      <div className={styles['side']}>
        <Section id="written" title="What will be written" note={describeCount(edit.mine.length)}>
          {edit.isDirty && edit.theirs.length > 0 ? (
            <ConflictingSettings
              edit={edit}
              generation={product.generation}
              onTakeTheirs={discard}
              onKeepMine={keepMine}
            />
          ) : (
            <>
              <ValuesPreview
                files={files}
                none={describeNone(edit.isDirty, preview, zone)}
                isBehind={preview.isBehind}
              />
              {files.length > 0 && edit.draft.volumes.length > 0 && <ReplacedPods zone={zone.name} />}
            </>
          )}
        </Section>
        <div className={styles['messages']}>
          {error && <ProblemNotice error={error} />}
          {!edit.isDirty && <AppliedNotice zone={zone} isRequested={save.isSuccess} generation={product.generation} />}
        </div>
        <div className={styles['foot']}>
          <Button look="primary" type="submit" form="settings" why={whyNotSave} busy={save.isPending}>
            Write to gitops
          </Button>
          <Button why={why ?? unchanged} onClick={discard}>
            Discard
          </Button>
          <span id="settings-why">
            {why ?? (
              <>
                Read at generation {product.generation}, <Age since={readAt} />
              </>
            )}
          </span>
        </div>
      </div>
      <div className={`${styles['form']} ${styles['removal']}`}>
        <RemoveZone zone={zone} onRemoved={onRemoved} />
      </div>
    </div>
  );
}

const describeCount = (count: number): string =>
  count === 0
    ? ''
    : count === 1
      ? '1 setting differs from what is saved'
      : `${count} settings differ from what is saved`;

type PreviewState = { isBehind: boolean; isError: boolean };

function describeNone(isDirty: boolean, { isBehind, isError }: PreviewState, { name, status }: Zone): string {
  if (!isDirty) return 'Change a setting to see what it would write.';
  if (isBehind) return 'Reading what would be written…';
  if (isError) return 'Nothing can be written with these settings.';
  if (!status.appliedSettings) return `${name} has no values file yet. The next Release writes it with these settings.`;
  return 'The values file stays as it is: the service keeps this setting itself.';
}
