"""The provider for marketplaces with the MTurk Requester API."""
