import { TextField } from './form-fields.tsx';

/** An IANA time zone, with those that the browser knows as suggestions. */
export const TimeZoneField = ({
  value,
  saved,
  pointer,
  onChange,
}: {
  value: string;
  saved: string;
  pointer: string;
  onChange: (timeZone: string) => void;
}) => (
  <>
    <TextField
      label="Time zone"
      hint="An IANA name such as Europe/Berlin; empty for UTC."
      pointer={pointer}
      list="time-zones"
      value={value}
      isChanged={value !== saved}
      onChange={onChange}
    />
    <datalist id="time-zones">
      {Intl.supportedValuesOf('timeZone').map((zone) => (
        <option key={zone} value={zone} />
      ))}
    </datalist>
  </>
);
