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
