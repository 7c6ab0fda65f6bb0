import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { installationQuery } from '../../../api/queries/installation.ts';
import { statusQuery } from '../../../api/queries/settings.ts';
import { isStale } from '../../../api/preconditions.ts';
import { request } from '../../../api/request.ts';
import { AreaField, ChoiceField, TextField } from '../../../parts/form-fields.tsx';
import { DraftForm } from '../../../parts/draft-form.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { Skeleton } from '../../../parts/page.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { isSame, useDraft } from '../../../parts/use-draft.ts';
import { useSaveDraft } from '../../../parts/use-save-draft.ts';
import { announce } from '../../../shell/announcer.tsx';
import { Changes, Differences, Findings } from './installation-check.tsx';
import { type InstallationDraft, toBody, toDraft } from './installation-draft.ts';

/** The domains of the installation and its ways to sign in: first checked, and then saved as they were checked. */
export function InstallationForm() {
  const { data: settings, error } = useQuery(installationQuery);
  if (settings) return <SettingsForm settings={settings} />;
  return error ? <ProblemNotice error={error} /> : <Skeleton />;
}

function SettingsForm({ settings }: { settings: Schemas['InstallationSettings'] }) {
  const queryClient = useQueryClient();
  const current = toDraft(settings);
  const draft = useDraft(current, settings.resourceVersion ?? '*');
  const { value } = draft;
  const set = (change: Partial<InstallationDraft>): void => draft.set({ ...value, ...change });
  const checking = useMutation({
    mutationFn: async (asked: InstallationDraft) => ({
      asked,
      found: await request('post', '/v1/installation/check', { params: {}, body: toBody(asked) }),
    }),
    onSuccess: () => announce('Checked. Nothing is saved yet.'),
  });
  const saving = useSaveDraft({
    draft,
    save: async (typed, version) =>
      await request('put', '/v1/installation', {
        params: {},
        headers: { 'If-Match': version === '*' ? '*' : `"${version}"` },
        body: toBody(typed),
      }),
    read: (saved) => ({ value: toDraft(saved), version: saved.resourceVersion ?? '*' }),
    onSaved: (saved) => {
      queryClient.setQueryData(installationQuery.queryKey, saved);
      checking.reset();
      void queryClient.invalidateQueries(statusQuery);
    },
    onError: (error) => {
      if (isStale(error)) void queryClient.invalidateQueries(installationQuery);
    },
  });
  // First values can be checked and saved as they are, which confirms them.
  const canSend = draft.isDirty || settings.checkedAt === undefined;
  const checked = canSend && isSame(checking.data?.asked, value) ? checking.data?.found : undefined;
  const sending = {
    error: checked ? saving.error : checking.error,
    isPending: checking.isPending || saving.isPending,
    isSuccess: saving.isSuccess,
    mutate: () => (checked ? saving.mutate() : checking.mutate(value)),
    reset: () => {
      checking.reset();
      saving.reset();
    },
  };
  const why = findRefusal(settings.actions, 'putInstallation');
  const findings = checked?.findings ?? settings.findings;
  return (
    <DraftForm
      label="Settings of the installation"
      draft={draft}
      saving={sending}
      canSend={canSend}
      toShown={toBody}
      saveText={checked ? 'Save these settings' : 'Check these settings'}
      why={why}
    >
      <TextField
        label="Platform domain"
        hint={`Each zone has its own name under it: ${settings.zoneAddress}. It cannot change while there are zones.`}
        pointer="/platformDomain"
        mono
        spellCheck={false}
        value={value.platformDomain}
        isChanged={value.platformDomain !== current.platformDomain}
        onChange={(platformDomain) => set({ platformDomain })}
      />
      <AreaField
        label="Roots of managed domains"
        hint="One in each line. Orgs can claim a name under each, whose records the service writes. If empty, there are no managed domains."
        pointer={['/managedDomainRoots', ...[...Array(20).keys()].map((index) => `/managedDomainRoots/${index}`)]}
        spellCheck={false}
        value={value.roots}
        isChanged={value.roots !== current.roots}
        onChange={(roots) => set({ roots })}
      />
      <ChoiceField
        label="Sign-in with a password"
        hint="Platform admins always can, to repair an identity provider."
        pointer={['/signIn/password', '/signIn']}
        value={value.password}
        isChanged={value.password !== current.password}
        options={[
          ['everyone', 'Everyone'],
          ['platform-admins', 'Platform admins only'],
        ]}
        onChange={(password) => set({ password: password as InstallationDraft['password'] })}
      />
      {settings.environment.length > 0 && <Differences environment={settings.environment} />}
      {checked && checked.changes.length > 0 && <Changes changes={checked.changes} />}
      {findings.length > 0 && <Findings findings={findings} />}
    </DraftForm>
  );
}
