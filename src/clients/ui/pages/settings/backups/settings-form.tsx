import { useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { backupSettingsQuery } from '../../../api/queries/backups.ts';
import { isStale, toPrecondition } from '../../../api/preconditions.ts';
import { request } from '../../../api/request.ts';
import { DraftForm } from '../../../parts/draft-form.tsx';
import { CheckField, NumberField, TextField } from '../../../parts/form-fields.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { TimeZoneField } from '../../../parts/time-zone-field.tsx';
import { useDraft } from '../../../parts/use-draft.ts';
import { useSaveDraft } from '../../../parts/use-save-draft.ts';
import { ScheduleTimes } from '../workflows/schedule-times.tsx';

type Settings = Schemas['BackupSettings'];
type Draft = { keepLast: number | undefined; isScheduled: boolean; cron: string; timeZone: string; paused: boolean };

/** When backups start by themselves, and how many are kept. */
export function SettingsForm({ settings }: { settings: Settings }) {
  const queryClient = useQueryClient();
  const current = toDraft(settings);
  const draft = useDraft(current, settings.resourceVersion ?? '');
  const { value } = draft;
  const set = (change: Partial<Draft>): void => draft.set({ ...value, ...change });
  const saving = useSaveDraft({
    draft,
    save: async (typed, version) =>
      await request('put', '/v1/backup/settings', {
        params: {},
        headers: toPrecondition(version),
        body: toBody(typed),
      }),
    read: (saved) => ({ value: toDraft(saved), version: saved.resourceVersion ?? '' }),
    onSaved: (saved) => void queryClient.setQueryData(backupSettingsQuery.queryKey, saved),
    onError: (error) => {
      if (isStale(error)) void queryClient.invalidateQueries(backupSettingsQuery);
    },
  });
  const why = findRefusal(settings.actions, 'putBackupSettings');
  return (
    <DraftForm label="Schedule and retention" draft={draft} saving={saving} toShown={toBody} why={why}>
      <NumberField
        label="Backups to keep"
        hint="Older ones that succeeded are deleted with their archives. Empty for 14."
        pointer="/keepLast"
        min={1}
        max={1000}
        step={1}
        value={value.keepLast}
        isChanged={value.keepLast !== current.keepLast}
        onChange={(keepLast) => set({ keepLast })}
      />
      <CheckField
        label="Back up on a schedule"
        hint="A time is skipped while another backup is in progress."
        checked={value.isScheduled}
        onChange={(isScheduled) => set({ isScheduled })}
      />
      {value.isScheduled && <ScheduleFields value={value} saved={current} set={set} />}
    </DraftForm>
  );
}

const ScheduleFields = ({
  value,
  saved,
  set,
}: {
  value: Draft;
  saved: Draft;
  set: (change: Partial<Draft>) => void;
}) => (
  <>
    <TextField
      label="Schedule"
      hint="A cron expression: minute, hour, day of month, month, day of week."
      pointer="/schedule/cron"
      mono
      required
      spellCheck={false}
      value={value.cron}
      isChanged={value.cron !== saved.cron}
      onChange={(cron) => set({ cron })}
    />
    <TimeZoneField
      pointer="/schedule/timeZone"
      value={value.timeZone}
      saved={saved.timeZone}
      onChange={(timeZone) => set({ timeZone })}
    />
    <CheckField
      label="Paused"
      hint="Keeps the schedule, and starts no backup."
      pointer="/schedule/paused"
      checked={value.paused}
      onChange={(paused) => set({ paused })}
    />
    {!value.paused && <ScheduleTimes crons={[value.cron]} timeZone={value.timeZone} />}
  </>
);

const toDraft = ({ keepLast, schedule }: Settings): Draft => ({
  keepLast,
  isScheduled: schedule !== undefined,
  cron: schedule?.cron ?? '0 3 * * *',
  timeZone: schedule?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  paused: schedule?.paused ?? false,
});

function toBody({ keepLast, isScheduled, cron, timeZone, paused }: Draft) {
  const zone = timeZone.trim();
  return {
    ...(keepLast !== undefined && { keepLast }),
    ...(isScheduled && { schedule: { cron, paused, ...(zone !== '' && { timeZone: zone }) } }),
  };
}
