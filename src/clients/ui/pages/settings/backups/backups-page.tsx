import { useSuspenseQuery } from '@tanstack/react-query';
import { backupSettingsQuery } from '../../../api/queries/backups.ts';
import { Copy } from '../../../parts/copy.tsx';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { Columns, Details, PageHead, Section } from '../../../parts/page.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { Backups } from './backups.tsx';
import { RecoveryKey } from './recovery-key.tsx';
import { Restores } from './restores.tsx';
import { SettingsForm } from './settings-form.tsx';

/** The backups of the installation: what was written, when the next one starts, and the way back. */
export function BackupsPage() {
  const { data: settings } = useSuspenseQuery(backupSettingsQuery);
  const { destination, key } = settings;
  return (
    <>
      <PageHead title="Backups">
        The whole installation in one encrypted archive, which restores it here or in an empty installation.
      </PageHead>
      <Columns
        aside={
          <>
            <section>
              <h2>Destination</h2>
              <Details
                items={[
                  ['Archives', <code key="destination">{destination}</code>],
                  ['Key', key === undefined ? 'None yet' : <Copy key="key" text={key} label="Copy the public key" />],
                ]}
              />
            </section>
            <CurlLine path="/backup/backups" />
          </>
        }
      >
        <Section id="key" title="Recovery key" note="Decrypts the archives, and is kept nowhere">
          <RecoveryKey hasKey={key !== undefined} why={findRefusal(settings.actions, 'putBackupKey')} />
        </Section>
        <Section id="backups" title="Backups">
          <Backups settings={settings} />
        </Section>
        <Section id="schedule" title="Schedule and retention">
          <SettingsForm settings={settings} />
        </Section>
        <Section id="restore" title="Restore" note="Adds what is missing, and changes nothing that exists">
          <Restores why={findRefusal(settings.actions, 'createRestore')} />
        </Section>
      </Columns>
    </>
  );
}
