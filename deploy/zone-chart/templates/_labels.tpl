{{- define "zone.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name | quote }}
app.kubernetes.io/instance: {{ .Release.Namespace | quote }}
{{- end }}

{{- define "zone.labels" -}}
{{ include "zone.selector" . }}
app.kubernetes.io/version: {{ .Values.release.version | quote }}
app.kubernetes.io/part-of: {{ .Chart.Name | quote }}
app.kubernetes.io/managed-by: delivery-service
{{- end }}

{{- define "zone.gate.name" -}}
{{ printf "%s-gate" .Chart.Name }}
{{- end }}

{{- /* NetworkPolicies select gates by their component. */}}
{{- define "zone.gate.selector" -}}
app.kubernetes.io/name: {{ include "zone.gate.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Namespace | quote }}
app.kubernetes.io/component: gate
{{- end }}

{{- define "zone.gate.labels" -}}
{{ include "zone.gate.selector" . }}
app.kubernetes.io/part-of: {{ .Chart.Name | quote }}
app.kubernetes.io/managed-by: delivery-service
{{- end }}
