import { Button } from '../../parts/button.tsx';
import page from '../../parts/page.module.css';
import { Mark } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import type { ZoneEdit } from './use-zone-edit.ts';
import { formatSetting, settingNames } from './zone-draft.ts';

/** Compares the settings that another person has saved during the edit with those that were typed. */
export const ConflictingSettings = ({
  edit,
  generation,
  onTakeTheirs,
  onKeepMine,
}: {
  edit: ZoneEdit;
  generation: number;
  onTakeTheirs: () => void;
  onKeepMine: () => void;
}) => (
  <section role="alert" aria-labelledby="theirs">
    <div className={page['notice']} data-state="warn">
      <Mark state="warn" />
      <p id="theirs">
        <b>Another person changed these settings while you were editing.</b> Nothing that you typed is lost. Generation{' '}
        {generation} has theirs.
      </p>
    </div>
    <table className={`${table['tbl']} ${table['tight']}`}>
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">Was</th>
          <th scope="col">Theirs</th>
          <th scope="col">Yours</th>
        </tr>
      </thead>
      <tbody>
        {edit.theirs.map((setting) => (
          <tr key={setting}>
            <th scope="row">{settingNames[setting]}</th>
            <td data-l="Was">{formatSetting(edit.base, setting)}</td>
            <td data-l="Theirs">{formatSetting(edit.saved, setting)}</td>
            <td data-l="Yours">
              {edit.mine.includes(setting) ? <b>{formatSetting(edit.draft, setting)}</b> : 'as theirs'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    <div className={page['notice']}>
      <Button look="primary" onClick={onKeepMine}>
        Keep mine
      </Button>
      <Button onClick={onTakeTheirs}>Take theirs</Button>
    </div>
  </section>
);
