"""Signing in and out; throttling is django-axes' business."""

from django.contrib.auth.views import LoginView, LogoutView

login = LoginView.as_view(template_name="dashboard/login.html", redirect_authenticated_user=True)
logout = LogoutView.as_view()
